import CallRecords
import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// What the operator asks about stopped addresses (`postern.notification.v1.Addresses`).
package struct AddressesHandler: AddressesService {
    private let store: Store
    private let keys: NotificationKeys
    private let time: any Time

    /// A handler over the addresses in `store`.
    package init(store: Store, keys: NotificationKeys, time: any Time) {
        self.store = store
        self.keys = keys
        self.time = time
    }

    package func showAddress(
        _ request: NotificationV1.ShowAddressRequest, _ context: CallContext
    ) async throws -> NotificationV1.ShowAddressResponse {
        let hashes = try hashes(of: request.email, context)
        let now = time.now()
        guard let stop = try await store.read({ try $0.stop(of: hashes, at: now) }) else {
            return NotificationV1.ShowAddressResponse()
        }
        return NotificationV1.ShowAddressResponse(
            isStopped: true, reason: stop.reason, stoppedAtMs: stop.at.milliseconds,
            untilMs: stop.until.milliseconds)
    }

    package func releaseAddress(
        _ request: NotificationV1.ReleaseAddressRequest, _ context: CallContext
    ) async throws -> NotificationV1.ReleaseAddressResponse {
        let hashes = try hashes(of: request.email, context)
        let wasStopped = try await store.write { try $0.releaseAddress(hashes) }
        return NotificationV1.ReleaseAddressResponse(wasStopped: wasStopped)
    }

    /// Anybody else could ask whose mailbox is gone.
    private func hashes(of email: String, _ context: CallContext) throws -> [[UInt8]] {
        try context.requireOperator()
        guard let address = MailAddress(email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return keys.stops(of: address)
    }
}
