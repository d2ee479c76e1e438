import Contracts
import Messages
import RPC

extension SignInMethodsHandler {
    /// G-14: removes a sign-in method. In one transaction the identity service identifies the
    /// account, requires a recent proof, and checks that another sign-in method remains.
    /// - Throws: `auth/requires-recent-login`, `auth/last-sign-in-method`, `auth/no-such-provider`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `rpc/invalid-argument`.
    func unlinkMethod(
        _ request: GatewayV1.UnlinkMethodRequest, _ context: CallContext
    ) async throws -> GatewayV1.UnlinkMethodResponse {
        let onward = try context.onward(for: "UnlinkMethod")
        let origin = try Origin.of(request.device, context)
        let unlinked = try await identities.unlink(
            IdentityV1.UnlinkRequest(
                accessToken: try context.requiredAccessToken(), method: request.method,
                origin: origin), onward)
        return GatewayV1.UnlinkMethodResponse(
            account: unlinked.account.map { GatewayV1.Account($0, photos) })
    }
}
