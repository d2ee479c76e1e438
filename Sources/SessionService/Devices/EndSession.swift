import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension DevicesHandler {
    /// Ends one session of the account (G-22, S-06).
    ///
    /// Attack: the caller names another account's session. The response is the same as for a
    /// session that does not exist.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended` where the caller's session is
    ///   over, `auth/session-not-found`; `rpc/unavailable` while the clock is not trusted.
    package func endSession(
        _ request: SessionV1.EndSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.EndSessionResponse {
        try store.clock.requireAnswering()
        let token = try accessTokens.current(request.accessToken, at: time.now())
        guard let id = SessionID(text: request.sessionId) else {
            throw ServiceError(.sessionNotFound)
        }
        let outcome = try await store.write { try end(id, token, $0) }
        return SessionV1.EndSessionResponse(ended: try memory.settle(outcome))
    }

    private func end(
        _ id: SessionID, _ token: AccessToken, _ transaction: Transaction
    ) throws -> FlowOutcome<Bool> {
        guard try liveSession(token, transaction, at: transaction.at) != nil else {
            return .refused(.sessionEnded)
        }
        guard let session = try transaction.session(id), session.account == token.account else {
            return .refused(.sessionNotFound)
        }
        let (ended, live) = try transaction.end(
            [memory.activity.applied(to: session)], .signedOut, life: life, from: .unknown)
        return .done(live > 0, ended: ended)
    }
}
