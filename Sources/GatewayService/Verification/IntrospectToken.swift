import Contracts
import Messages
import RPC

extension VerificationHandler {
    /// Whether an access token is valid now (RFC 7662). A token that is expired, ended or not ours
    /// gives the same empty response, so that it says nothing about other installations' tokens.
    /// - Throws: the errors of the session service, for example `rpc/unavailable`.
    func introspectToken(
        _ request: GatewayV1.IntrospectTokenRequest, _ context: CallContext
    ) async throws -> GatewayV1.IntrospectTokenResponse {
        let token = try await sessions.validateAccessToken(
            SessionV1.ValidateAccessTokenRequest(accessToken: request.accessToken),
            context.onward())
        guard token.valid else { return GatewayV1.IntrospectTokenResponse() }
        return GatewayV1.IntrospectTokenResponse(
            active: true, sessionId: token.sessionId, accountId: token.accountId,
            authenticatedAtMs: token.authTimeMs, amr: token.amr, expiresAtMs: token.expiresAtMs)
    }
}
