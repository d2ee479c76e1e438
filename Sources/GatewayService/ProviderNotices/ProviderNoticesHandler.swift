import Contracts
import Messages
import RPC

/// Notifications that providers send, and the error texts for the outcome of a provider's dialog
/// (G-05, G-24): `postern.gateway.v1.ProviderNotices`.
struct ProviderNoticesHandler: ProviderNoticesService {
    let events: any ProviderEventsAPI

    /// Relays a provider's notification. No limit is needed: the caller is a backend, and a
    /// notification without a valid signature costs the identity service a few microseconds and no
    /// access to its store.
    /// - Throws: `auth/operation-not-allowed` for a provider that is not set up or has no
    ///   notifications; `auth/provider-unavailable`.
    func receiveProviderNotice(
        _ request: GatewayV1.ReceiveProviderNoticeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReceiveProviderNoticeResponse {
        _ = try await events.receive(
            IdentityV1.ReceiveRequest(provider: request.provider, payload: request.payload),
            context.onward())
        return GatewayV1.ReceiveProviderNoticeResponse()
    }
}
