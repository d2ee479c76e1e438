import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension DevicesHandler {
    /// Ends all sessions of the account except the caller's (G-22, S-06).
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended` where the caller's session is
    ///   over; `rpc/unavailable` while the clock is not trusted.
    package func endOtherSessions(
        _ request: SessionV1.EndOtherSessionsRequest, _ context: CallContext
    ) async throws -> SessionV1.EndOtherSessionsResponse {
        try store.clock.requireAnswering()
        let token = try accessTokens.current(request.accessToken, at: time.now())
        let outcome = try await store.write { try endOthers(token, $0) }
        return SessionV1.EndOtherSessionsResponse(
            ended: UInt32(clamping: try memory.settle(outcome)))
    }

    private func endOthers(
        _ token: AccessToken, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        guard try liveSession(token, transaction, at: transaction.at) != nil else {
            return .refused(.sessionEnded)
        }
        let others = try transaction.openSessions(of: token.account)
            .filter { $0.id != token.session }.map(memory.activity.applied(to:))
        let (ended, live) = try transaction.end(
            others, .signedOut, life: life, from: .unknown)
        return .done(live, ended: ended)
    }
}
