import Cryptography
import Storage

/// A request for a reset link, as the outbox stores it between `ResetRequest` and `ResetMailing`:
/// only keyed hashes, of the same length for every address.
struct ResetWish: Hashable, Sendable {
    /// The hash by which the address is looked up.
    let lookUpKey: [UInt8]
    /// The hash of the address in the audit log; nil in a request that an older version wrote.
    let subject: [UInt8]?
    let origin: CallOrigin

    init(lookUpKey: [UInt8], subject: [UInt8], origin: CallOrigin) {
        self.lookUpKey = lookUpKey
        self.subject = subject
        self.origin = origin
    }

    /// Decodes what `bytes` wrote, or the key alone, as older versions wrote it.
    init(_ bytes: [UInt8]) {
        lookUpKey = Array(bytes.prefix(KeyedHash.lookUpKeyBytes))
        let rest = bytes.dropFirst(KeyedHash.lookUpKeyBytes)
        let origin = CallOrigin(bytes: rest.dropFirst(KeyedHash.lookUpKeyBytes))
        subject = origin == nil ? nil : Array(rest.prefix(KeyedHash.lookUpKeyBytes))
        self.origin = origin ?? .unknown
    }

    /// The encoded request, as the outbox stores it.
    var bytes: [UInt8] { lookUpKey + (subject ?? []) + origin.bytes }
}
