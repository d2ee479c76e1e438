package import Contracts
package import Messages
package import RPC

/// Providers' notices, and the words for what a provider's dialog ended with (G-05, G-24):
/// `postern.gateway.v1.ProviderNotices`.
package struct ProviderNoticesHandler: ProviderNoticesService {
    private let events: any ProviderEventsAPI

    /// In front of identity, which knows providers' keys.
    package init(events: any ProviderEventsAPI) {
        self.events = events
    }

    /// Hands a notice on. What it does not need: a limit. Who calls is a backend, and a notice that
    /// is not the provider's word costs identity a few microseconds and touches no store.
    package func receive(
        _ request: GatewayV1.ReceiveRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReceiveResponse {
        _ = try await events.receive(
            IdentityV1.ReceiveRequest(provider: request.provider, payload: request.payload),
            context.onward())
        return GatewayV1.ReceiveResponse()
    }
}
