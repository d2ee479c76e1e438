import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension ProvidersHandler {
    /// G-04, G-05, G-15: whose session asks? → limit → have the token checked and its account found →
    /// take the charge back; where a stranger had the account, have their devices forgotten → open a
    /// session. An upgraded guest's own session ends by identity's word
    /// (`IdentityService/Linking/GuestUpgrade.swift`).
    ///
    /// Who the token proves, and to which account that leads, is identity's to say, in one transaction
    /// (`IdentityService/Linking/LinkingRule.swift`). A call that broke off behind it is finished by
    /// the same call, sent again with its idempotency key (G-25).
    /// - Throws: `auth/invalid-provider-token`, `auth/missing-or-invalid-nonce`,
    ///   `auth/provider-unavailable`, `auth/operation-not-allowed`, `auth/too-many-requests`,
    ///   `auth/already-signed-in`, `auth/invalid-access-token`, `auth/user-disabled`.
    package func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        let onward = try context.onward(for: "SignInWithProvider")
        let origin = try Origin.of(request.device, context)
        let asking = try await sessions.callerToken(request.accessToken, context)
        let admission = try await limits.countingProviderToken(
            .providerSignIn(device: origin.deviceId, caller: LimitedCaller(context)),
            language: request.language, context
        ) {
            try await identities.signInWithProvider(
                IdentityV1.SignInWithProviderRequest(
                    token: request.token.map(IdentityV1.ProviderToken.init),
                    guestAccessToken: asking, language: request.language, origin: origin), onward)
        }
        if !admission.removedMethods.isEmpty {
            await limits.remember(
                admission.account?.email ?? "", on: origin.deviceId, forgettingOthers: true,
                context)
        }
        let session = try await sessions.open(
            by: admission.proof, on: request.device, from: origin, onward)
        return GatewayV1.SignInWithProviderResponse(
            account: admission.account, session: session,
            isNewUser: admission.isNewUser, removedMethods: admission.removedMethods,
            isLinked: admission.isLinked, isUpgraded: admission.isUpgraded,
            collision: admission.collision, news: admission.news)
    }
}
