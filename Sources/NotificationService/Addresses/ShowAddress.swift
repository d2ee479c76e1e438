import Messages
import RPC
import ServiceRuntime
import Storage

extension AddressesHandler {
    /// Returns whether an address is suppressed, and why.
    func showAddress(
        _ request: NotificationV1.ShowAddressRequest, _ context: CallContext
    ) async throws -> NotificationV1.ShowAddressResponse {
        let hashes = try hashes(of: request.email, context)
        let now = time.now()
        guard let entry = try await store.read({ try $0.suppression(of: hashes, at: now) }) else {
            return NotificationV1.ShowAddressResponse()
        }
        return NotificationV1.ShowAddressResponse(
            isStopped: true, reason: entry.reason, stoppedAtMs: entry.at.milliseconds,
            untilMs: entry.until.milliseconds)
    }
}
