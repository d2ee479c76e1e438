import Contracts
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
