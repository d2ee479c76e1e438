import Contracts
import Messages
import RPC

extension AccountSessionsHandler {
    /// G-22, S-06: ends one session of the account. No recent proof is required: a user who
    /// suspects that another person is signed in must be able to act at once, and a device whose
    /// session was ended by mistake can sign in again.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended` where the caller's own session
    ///   has ended, `auth/session-not-found`, `auth/idempotency-key-reused`,
    ///   `rpc/invalid-argument`.
    func endSession(
        _ request: GatewayV1.EndSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndSessionResponse {
        let onward = try context.onward(for: "EndSession")
        let answer = try await devices.endSession(
            SessionV1.EndSessionRequest(
                accessToken: try context.requiredAccessToken(), sessionId: request.sessionId),
            onward)
        return GatewayV1.EndSessionResponse(endedSessions: answer.ended ? 1 : 0)
    }
}
