import Contracts
import Messages
import RPC

extension AccountSessionsHandler {
    /// Ends all sessions of the account except the caller's own. Like `endSession` it needs no
    /// recent proof.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/idempotency-key-reused`,
    ///   `rpc/invalid-argument`.
    func endOtherSessions(
        _ request: GatewayV1.EndOtherSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndOtherSessionsResponse {
        let onward = try context.onward(for: "EndOtherSessions")
        let answer = try await devices.endOtherSessions(
            SessionV1.EndOtherSessionsRequest(accessToken: try context.requiredAccessToken()),
            onward)
        return GatewayV1.EndOtherSessionsResponse(endedSessions: answer.ended)
    }
}
