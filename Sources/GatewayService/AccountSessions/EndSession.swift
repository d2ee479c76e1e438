import Contracts
package import Messages
package import RPC

extension AccountSessionsHandler {
    /// G-22, S-06: end one session of the account, or all but this one. No recent proof is asked for:
    /// whoever fears that somebody else is signed in must be able to act at once, and what it ends can
    /// be signed in to again.
    package func endSession(
        _ request: GatewayV1.EndSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndSessionResponse {
        let answer = try await devices.end(
            SessionV1.EndRequest(
                accessToken: request.accessToken, sessionId: request.sessionId),
            context.onward())
        return GatewayV1.EndSessionResponse(ended: answer.ended)
    }
}
