import Contracts
import Messages
import RPC
import ServiceRuntime

extension ProvidersHandler {
    /// G-04, G-05, G-15: charge the limit → have the token verified and
    /// its account found → refund the charge; if a stranger had the account, forget the stranger's
    /// devices → open a session. The identity service ends the session of a guest that was upgraded
    /// (`IdentityService/Linking/GuestUpgrade.swift`).
    ///
    /// The identity service decides in one transaction which identity the token proves and which
    /// account that leads to (`IdentityService/Linking/LinkingRule.swift`). If the call fails after
    /// that, a retry with the same idempotency key completes it (G-25).
    func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        let onward = try context.onward(for: ProvidersDescription.signInWithProvider)
        let device = try request.device.requiredID()
        let signedIn = try await limits.countingProviderToken(
            .providerSignIn(device: device, caller: LimitedCaller(context)), context,
            signedIn: { $0.account }
        ) { charge in
            try await identities.signInWithProvider(request, onward.charged(charge))
        }
        if !signedIn.removedMethods.isEmpty {
            await limits.remember(
                signedIn.account?.email ?? "", on: device, forgettingOthers: true, context)
        }
        let session = try await sessions.open(by: signedIn.proof, on: request.device, onward)
        return GatewayV1.SignInWithProviderResponse(
            account: signedIn.account, session: session,
            isNewUser: signedIn.isNewUser, removedMethods: signedIn.removedMethods,
            isLinked: signedIn.isLinked, isUpgraded: signedIn.isUpgraded,
            collision: signedIn.collision,
            history: signedIn.history.map(GatewayV1.SignInHistory.init),
            requiredActions: signedIn.requiredActions)
    }
}
