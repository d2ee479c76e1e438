import Messages
import RPC
import ServiceRuntime
import Storage

extension AddressesHandler {
    /// Removes an address from the suppression list.
    func releaseAddress(
        _ request: NotificationV1.ReleaseAddressRequest, _ context: CallContext
    ) async throws -> NotificationV1.ReleaseAddressResponse {
        let hashes = try hashes(of: request.email, context)
        let wasStopped = try await store.write(about: []) {
            try $0.releaseAddress(hashes, by: context.application)
        }
        return NotificationV1.ReleaseAddressResponse(wasStopped: wasStopped)
    }
}
