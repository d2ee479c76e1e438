import CallRecords
import Cryptography

/// A wish for a link to set a new password, as the outbox holds it between `ResetRequest` and
/// `ResetMailing`: keyed hashes alone, of the same length for every address.
struct ResetWish: Hashable, Sendable {
    /// What an account's address is found by.
    let lookUpKey: [UInt8]
    /// The address in the audit trail; nil for a wish that an older program wrote.
    let subject: [UInt8]?
    let origin: CallOrigin

    init(lookUpKey: [UInt8], subject: [UInt8], origin: CallOrigin) {
        self.lookUpKey = lookUpKey
        self.subject = subject
        self.origin = origin
    }

    /// Reads what `bytes` wrote, or the key alone, as older programs did.
    init(_ bytes: [UInt8]) {
        lookUpKey = Array(bytes.prefix(KeyedHash.lookUpKeyBytes))
        let rest = bytes.dropFirst(KeyedHash.lookUpKeyBytes)
        let origin = CallOrigin(bytes: rest.dropFirst(KeyedHash.lookUpKeyBytes))
        subject = origin == nil ? nil : Array(rest.prefix(KeyedHash.lookUpKeyBytes))
        self.origin = origin ?? .unknown
    }

    /// As the outbox keeps it.
    var bytes: [UInt8] { lookUpKey + (subject ?? []) + origin.bytes }
}
