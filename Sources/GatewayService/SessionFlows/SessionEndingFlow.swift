import Contracts
import Messages
import RPC

/// G-22, S-06: end one session of the account, or all but this one. No recent proof is asked for:
/// whoever fears that somebody else is signed in must be able to act at once, and what it ends can
/// be signed in to again.
struct SessionEndingFlow: Sendable {
    let devices: any DevicesAPI

    func run(
        _ request: GatewayV1.EndSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndSessionResponse {
        let answer = try await devices.end(
            SessionV1.EndRequest(
                accessToken: request.accessToken, sessionId: request.sessionId),
            context.onward())
        return GatewayV1.EndSessionResponse(ended: answer.ended)
    }

    func run(
        _ request: GatewayV1.EndOtherSessionsRequest, _ context: CallContext
    ) async throws -> GatewayV1.EndOtherSessionsResponse {
        let answer = try await devices.endOthers(
            SessionV1.EndOthersRequest(accessToken: request.accessToken), context.onward())
        return GatewayV1.EndOtherSessionsResponse(ended: answer.ended)
    }
}
