import Contracts
package import Messages
package import RPC

extension AuthHandler {
    /// G-09: end this session, or all of the account's. For this one an expired access token will do:
    /// whoever wants out is let out.
    package func signOut(
        _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutResponse {
        let token: SessionV1.SignOutRequest.Token? =
            switch request.token {
            case .accessToken(let token): .accessToken(token)
            case .refreshToken(let token): .refreshToken(token)
            case nil: nil
            }
        let ended = try await sessions.signOut(
            SessionV1.SignOutRequest(
                all: request.all, deviceProof: request.deviceProof, token: token),
            context.onward())
        return GatewayV1.SignOutResponse(ended: ended.ended)
    }
}
