package import Contracts
package import Messages
package import RPC

/// The ways of signing in to one's own account (G-14): `postern.gateway.v1.SignInMethods`.
package struct SignInMethods: SignInMethodsService {
    private let list: ListMethodsFlow
    private let link: LinkProviderFlow
    private let unlink: UnlinkMethodFlow

    /// The flows, in front of the services.
    package init(
        identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: LimitGuard
    ) {
        list = ListMethodsFlow(identities: identities)
        link = LinkProviderFlow(identities: identities, sessions: sessions, limits: limits)
        unlink = UnlinkMethodFlow(identities: identities)
    }

    /// `ListMethodsFlow`.
    package func listMethods(
        _ request: GatewayV1.ListMethodsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListMethodsResponse {
        try await list.run(request, context)
    }

    /// `LinkProviderFlow`.
    package func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        try await link.run(request, context)
    }

    /// `UnlinkMethodFlow`.
    package func unlinkMethod(
        _ request: GatewayV1.UnlinkMethodRequest, _ context: CallContext
    ) async throws -> GatewayV1.UnlinkMethodResponse {
        try await unlink.run(request, context)
    }
}
