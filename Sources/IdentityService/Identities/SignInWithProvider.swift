import Messages
import RPC
import Storage

extension IdentitiesHandler {
    /// Signs in with a provider's token (G-04, G-05, G-15): verifies the token, finds the identity
    /// and its account, decides by `LinkingRule`, writes, answers. All but the first are
    /// `FederatedSignIn`, in one transaction.
    /// - Throws: as `identity(provedBy:for:_:)` and `FederatedSignIn`; in a session as
    ///   `SessionOwners.calling`.
    func signInWithProvider(
        _ request: IdentityV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let proved = try await identity(provedBy: request.token, for: nil, request.origin)
        let caller = try await owners.calling(request.guestAccessToken, context)
        let acceptance = Acceptance(request.acceptance)
        // The language is left out: it may come from metadata.
        let call = try RepeatableCall(
            "SignInWithProvider",
            [keys.lookUpKey(of: proved), []] + (caller?.account).fingerprint
                + acceptance.fingerprint, context, hash: keys.calls)
        return try await signIn.run(
            proved,
            FederatedSignInCall(
                from: request.origin, language: request.language, acceptance: acceptance,
                in: caller, repeatable: call, settings, keys))
    }
}
