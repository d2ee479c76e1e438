import Contracts
import Messages
import RPC

extension SignInMethodsHandler {
    /// G-14: the sign-in methods of the caller's account.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func listSignInMethods(
        _ request: GatewayV1.ListSignInMethodsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListSignInMethodsResponse {
        let list = try await identities.listMethods(
            IdentityV1.ListMethodsRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.ListSignInMethodsResponse(methods: list.methods)
    }
}
