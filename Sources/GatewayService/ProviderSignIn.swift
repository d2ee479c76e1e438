package import Contracts
package import Messages
package import RPC

/// Signing in by Google, Apple, or another provider (G-04, G-05):
/// `postern.gateway.v1.Providers`.
package struct ProviderSignIn: ProvidersService {
    private let nonces: IssueNonceFlow
    private let signIn: SignInWithProviderFlow

    /// The flows, in front of the services.
    package init(
        identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: LimitGuard
    ) {
        nonces = IssueNonceFlow(identities: identities)
        signIn = SignInWithProviderFlow(
            identities: identities, sessions: sessions, limits: limits)
    }

    /// `IssueNonceFlow`.
    package func issueNonce(
        _ request: GatewayV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> GatewayV1.IssueNonceResponse {
        try await nonces.run(request, context)
    }

    /// `SignInWithProviderFlow`.
    package func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithProviderResponse {
        try await signIn.run(request, context)
    }
}
