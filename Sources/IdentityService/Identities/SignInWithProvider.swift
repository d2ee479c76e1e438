package import Messages
package import RPC
import Storage

extension IdentitiesHandler {
    /// Signs in with a provider's token (G-04, G-05, G-15): verifies the token, finds the identity
    /// and its account, decides by `LinkingRule`, writes, answers. All but the first are
    /// `FederatedSignIn`, in one transaction.
    /// - Throws: as `identity(provedBy:for:_:)` and `FederatedSignIn`; for a guest as
    ///   `SessionOwners.owner`.
    package func signInWithProvider(
        _ request: IdentityV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let proved = try await identity(provedBy: request.token, for: nil, request.origin)
        let call = try RepeatableCall(
            "SignInWithProvider",
            // Whether a guest asks is left out: a repeat may come without the guest's session,
            // which the first call ended. So is the language: it may come from metadata.
            [keys.lookUpKey(of: proved), []], context, hash: keys.calls)
        return try await FederatedSignIn(
            settings: settings, store: store, keys: keys, randomness: randomness,
            keepsGrants: keepsGrants
        ).admit(
            proved,
            FederatedSignInCall(
                from: request.origin, language: request.language, call: call, settings, keys),
            askedBy: request.guestAccessToken, owners, context)
    }
}
