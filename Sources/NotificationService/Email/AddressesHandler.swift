import Contracts
package import Messages
package import RPC
package import ServiceRuntime
package import Storage

/// The operator's rpcs on the suppression list (`postern.notification.v1.Addresses`).
package struct AddressesHandler: AddressesService {
    private let store: Store
    private let keys: NotificationKeys
    private let time: any Time

    /// A handler over the suppression list in `store`.
    package init(store: Store, keys: NotificationKeys, time: any Time) {
        self.store = store
        self.keys = keys
        self.time = time
    }

    /// Returns whether an address is suppressed, and why.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `auth/invalid-email`;
    ///   store errors.
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

    /// Removes an address from the suppression list.
    /// - Throws: as `showAddress`.
    package func releaseAddress(
        _ request: NotificationV1.ReleaseAddressRequest, _ context: CallContext
    ) async throws -> NotificationV1.ReleaseAddressResponse {
        let hashes = try hashes(of: request.email, context)
        let wasStopped = try await store.write { try $0.releaseAddress(hashes) }
        return NotificationV1.ReleaseAddressResponse(wasStopped: wasStopped)
    }

    /// Only the operator may ask: otherwise a caller could find out whose mailbox does not exist.
    private func hashes(of email: String, _ context: CallContext) throws -> [[UInt8]] {
        try context.requireOperator()
        guard let address = MailAddress(email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return keys.stops(of: address)
    }
}
