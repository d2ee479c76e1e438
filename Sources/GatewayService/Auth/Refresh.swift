import Contracts
package import Messages
package import RPC

extension AuthHandler {
    /// G-10: exchange a refresh token. The rule itself is the session service's
    /// (`SessionService/RefreshTokens/RefreshTokenRotation.swift`).
    package func refresh(
        _ request: GatewayV1.RefreshRequest, _ context: CallContext
    ) async throws -> GatewayV1.RefreshResponse {
        let onward = try context.onward(for: "Refresh")
        let origin = try Origin.of(request.device, context)
        let refreshed = try await sessions.refresh(
            SessionV1.RefreshRequest(
                refreshToken: request.refreshToken, origin: origin,
                deviceProof: request.deviceProof), onward)
        return GatewayV1.RefreshResponse(session: refreshed.tokens.map(GatewayV1.Session.init))
    }
}
