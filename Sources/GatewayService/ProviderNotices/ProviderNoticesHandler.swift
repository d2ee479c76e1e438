package import Contracts
package import Messages
package import RPC

/// Notifications that providers send, and the error texts for the outcome of a provider's dialog
/// (G-05, G-24): `postern.gateway.v1.ProviderNotices`.
package struct ProviderNoticesHandler: ProviderNoticesService {
    private let events: any ProviderEventsAPI

    /// Creates the handler over a client of the identity service, which has the providers' keys.
    package init(events: any ProviderEventsAPI) {
        self.events = events
    }

    /// Relays a provider's notification. No limit is needed: the caller is a backend, and a
    /// notification without a valid signature costs the identity service a few microseconds and no
    /// access to its store.
    /// - Throws: `auth/operation-not-allowed` for a provider that is not set up or has no
    ///   notifications; `auth/provider-unavailable`.
    package func receiveProviderNotice(
        _ request: GatewayV1.ReceiveProviderNoticeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReceiveProviderNoticeResponse {
        _ = try await events.receive(
            IdentityV1.ReceiveRequest(provider: request.provider, payload: request.payload),
            context.onward())
        return GatewayV1.ReceiveProviderNoticeResponse()
    }
}
