import Contracts
import Messages
import RPC

extension AuthHandler {
    /// G-10: exchanges a refresh token. The rule is in the session service
    /// (`SessionService/RefreshTokens/RefreshTokenRotation.swift`).
    /// - Throws: `auth/invalid-refresh-token`, `auth/session-ended`, `auth/refresh-token-replayed`,
    ///   `auth/device-proof-required`, `auth/device-proof-stale`, `auth/invalid-device-proof`,
    ///   `auth/device-mismatch`, `auth/idempotency-key-reused`, `rpc/invalid-argument`.
    func refreshSession(
        _ request: GatewayV1.RefreshSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RefreshSessionResponse {
        // The rpc's name in earlier versions, so that a repeat during an upgrade finds its
        // response.
        let onward = try context.onward(for: "Refresh")
        let origin = try Origin.of(request.device, context)
        let refreshed = try await sessions.refreshSession(
            SessionV1.RefreshSessionRequest(
                refreshToken: request.refreshToken, origin: origin,
                deviceProof: request.deviceProof), onward)
        return GatewayV1.RefreshSessionResponse(
            session: refreshed.tokens.map(GatewayV1.Session.init))
    }
}
