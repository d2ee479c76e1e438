import CallRecords
import Contracts
import Messages
import ServiceRuntime
import Storage

/// Ends one session of the account, or all except the caller's (G-22, S-06).
///
/// Attack: the caller names another account's session. The response is the same as for a session
/// that does not exist.
struct DeviceEnding: Sendable {
    let parts: SessionParts

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended` where the caller's session is
    ///   over, `auth/session-not-found`.
    func run(_ request: SessionV1.EndRequest) async throws -> SessionV1.EndResponse {
        let token = try parts.currentToken(request.accessToken)
        guard let id = SessionID(text: request.sessionId) else {
            throw ServiceError(.sessionNotFound)
        }
        let outcome = try await parts.store.write { try end(id, token, $0) }
        return SessionV1.EndResponse(ended: try parts.settle(outcome))
    }

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended` where the caller's session is
    ///   over.
    func run(_ request: SessionV1.EndOthersRequest) async throws -> SessionV1.EndOthersResponse {
        let token = try parts.currentToken(request.accessToken)
        let outcome = try await parts.store.write { try endOthers(token, $0) }
        return SessionV1.EndOthersResponse(ended: UInt32(clamping: try parts.settle(outcome)))
    }

    private func end(
        _ id: SessionID, _ token: AccessToken, _ transaction: Transaction
    ) throws -> FlowOutcome<Bool> {
        guard try parts.liveSession(token, transaction, at: transaction.at) != nil else {
            return .refused(.sessionEnded)
        }
        guard let session = try transaction.session(id), session.account == token.account else {
            return .refused(.sessionNotFound)
        }
        let (ended, live) = try transaction.end(
            [parts.activity.applied(to: session)], .signedOut, life: parts.life, from: .unknown)
        return .done(live > 0, ended: ended)
    }

    private func endOthers(
        _ token: AccessToken, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        guard try parts.liveSession(token, transaction, at: transaction.at) != nil else {
            return .refused(.sessionEnded)
        }
        let others = try transaction.openSessions(of: token.account)
            .filter { $0.id != token.session }.map(parts.activity.applied(to:))
        let (ended, live) = try transaction.end(
            others, .signedOut, life: parts.life, from: .unknown)
        return .done(live, ended: ended)
    }
}
