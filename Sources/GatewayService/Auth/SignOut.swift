import Contracts
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-09: ends this session, or all sessions of the account. An expired access token is enough
    /// to end its own session, so that a user can always sign out.
    /// - Throws: `auth/invalid-access-token`, `auth/invalid-refresh-token`,
    ///   `auth/refresh-token-replayed`, `auth/device-proof-required`, `auth/device-proof-stale`,
    ///   `auth/invalid-device-proof`, `auth/idempotency-key-reused`, `rpc/invalid-argument` without
    ///   a token.
    func signOut(
        _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutResponse {
        let onward = try context.onward(for: "SignOut")
        let token: SessionV1.SignOutRequest.Token
        if !request.refreshToken.isEmpty {
            token = .refreshToken(request.refreshToken)
        } else if let access = try context.accessToken() {
            token = .accessToken(access)
        } else {
            throw ServiceError.invalidArgument(
                Metadata.Key.authorization, "Send the access token, or refresh_token instead.")
        }
        let ended = try await sessions.signOut(
            SessionV1.SignOutRequest(
                all: request.all, deviceProof: request.deviceProof,
                token: token),
            onward)
        return GatewayV1.SignOutResponse(endedSessions: ended.ended)
    }
}
