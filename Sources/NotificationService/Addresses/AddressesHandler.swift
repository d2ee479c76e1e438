import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.notification.v1.Addresses`: the operator's view of the suppression list.
struct AddressesHandler: AddressesService {
    let store: Store
    let keys: NotificationKeys
    let time: any Time

    /// Only the operator may ask: otherwise a caller could find out whose mailbox does not exist.
    func hashes(of email: String, _ context: CallContext) throws -> [[UInt8]] {
        try context.requireOperator()
        guard let address = MailAddress(email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return keys.suppressionHashes(of: address)
    }
}

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
