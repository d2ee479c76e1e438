import Contracts
import RPC
package import ServiceRuntime
package import Storage

/// `postern.notification.v1.Addresses`: the operator's view of the suppression list. The rpcs are
/// in `ShowAddress.swift` and `ReleaseAddress.swift`.
package struct AddressesHandler: AddressesService {
    let store: Store
    let keys: NotificationKeys
    let time: any Time

    /// A handler over the suppression list in `store`.
    package init(store: Store, keys: NotificationKeys, time: any Time) {
        self.store = store
        self.keys = keys
        self.time = time
    }

    /// Only the operator may ask: otherwise a caller could find out whose mailbox does not exist.
    func hashes(of email: String, _ context: CallContext) throws -> [[UInt8]] {
        try context.requireOperator()
        guard let address = MailAddress(email) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return keys.suppressionHashes(of: address)
    }
}
