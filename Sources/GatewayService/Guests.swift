package import Contracts
package import Messages
package import RPC

/// Accounts that nobody has signed up for (G-07): `postern.gateway.v1.Guests`.
package struct Guests: GuestsService {
    private let signIn: SignInAnonymouslyFlow

    /// The flow, in front of the services.
    package init(
        identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: LimitGuard
    ) {
        signIn = SignInAnonymouslyFlow(
            identities: identities, sessions: sessions, limits: limits)
    }

    /// `SignInAnonymouslyFlow`.
    package func signInAnonymously(
        _ request: GatewayV1.SignInAnonymouslyRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInAnonymouslyResponse {
        try await signIn.run(request, context)
    }
}
