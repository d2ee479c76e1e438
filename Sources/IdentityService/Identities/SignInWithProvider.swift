import Contracts
import Messages
import RPC
import Storage

extension IdentitiesHandler {
    /// Signs in with a provider's token (G-04, G-05, G-15): verifies the token, finds the identity
    /// and its account, decides by `LinkingRule`, writes, answers. All but the first are
    /// `FederatedSignIn`, in one transaction.
    func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let origin = CallOrigin(context, on: request.device, keys)
        let language = try context.mailLanguage(request.mailLanguage, settings)
        let caller = try await owners.calling(in: context)
        let proved = try await identity(provedBy: request.token, for: nil, from: origin)
        let call = try RepeatableCall(
            IdentitiesDescription.signInWithProvider, request, by: caller.caller,
            proving: keys.lookUpKey(of: proved), context, keys)
        return try await signIn.run(
            proved,
            FederatedSignInCall(
                from: origin, on: request.device, language: language,
                acceptance: Acceptance(request.acceptance), in: caller, repeatable: call))
    }
}
