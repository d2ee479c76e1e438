import Contracts
package import Messages
package import RPC

extension AccountSessionsHandler {
    /// Ends all sessions of the account but the caller's own; as `endSession`.
    package func endOtherSessions(
        _ request: GatewayV1.EndOtherSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndOtherSessionsResponse {
        let answer = try await devices.endOthers(
            SessionV1.EndOthersRequest(accessToken: request.accessToken), context.onward())
        return GatewayV1.EndOtherSessionsResponse(ended: answer.ended)
    }
}
