import Cryptography

/// What an authenticator signs of a ceremony (Web Authentication Level 3, section 6.1).
///
///     bytes    what
///     32       SHA-256 of the relying party's id
///     1        flags
///     4        number of signatures, big-endian
///     …        if AT is set: AAGUID of 16 bytes, length of 2 bytes, credential id, key in CBOR
///     …        if ED is set: a map of extensions in CBOR, which is parsed and not used
///
/// Nothing comes after. The lengths are the only ones in it, so that no byte can be read as two
/// things.
struct AuthenticatorData: Hashable, Sendable {
    /// The flags. Those that are reserved are ignored: a later level of the standard may use them.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// UP: a person was at the device.
        static let userPresent = Flags(rawValue: 1 << 0)
        /// UV: the device has verified the person, by biometrics or a PIN.
        static let userVerified = Flags(rawValue: 1 << 2)
        /// BE: the passkey can be backed up, so it may be on several devices.
        static let backupEligible = Flags(rawValue: 1 << 3)
        /// BS: it is backed up now.
        static let backedUp = Flags(rawValue: 1 << 4)
        /// AT: a new credential comes after.
        static let attestedCredential = Flags(rawValue: 1 << 6)
        /// ED: extensions come after.
        static let extensions = Flags(rawValue: 1 << 7)
    }

    /// A new credential (section 6.5.1).
    struct Credential: Hashable, Sendable {
        /// Identifies the model of the authenticator, 16 bytes; zeros for none.
        let aaguid: [UInt8]
        /// The credential's id.
        let id: [UInt8]
        /// The bytes of its key, which are one CBOR value: see `COSEKey`.
        let key: [UInt8]
    }

    private static let headBytes = 37
    private static let aaguidBytes = 16

    /// The data as signed.
    let bytes: [UInt8]
    /// SHA-256 of the relying party's id.
    let relyingPartyHash: [UInt8]
    /// The flags.
    let flags: Flags
    /// The number of signatures that the authenticator has made, by this key or by all; 0 if it
    /// does not count.
    let signCount: UInt32
    /// The new credential; nil where AT is unset.
    let credential: Credential?

    /// Parses data.
    /// - Throws: `.authenticatorData`.
    init(_ bytes: [UInt8]) throws(PasskeyRefusal) {
        guard bytes.count >= Self.headBytes else { throw .authenticatorData }
        self.bytes = bytes
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var position = Self.headBytes
        var credential: Credential?
        if flags.contains(.attestedCredential) {
            credential = try Self.credential(in: bytes, at: &position)
        }
        self.credential = credential
        if flags.contains(.extensions) {
            guard try Self.value(in: bytes, at: &position).map != nil else {
                throw .authenticatorData
            }
        }
        guard position == bytes.count else { throw .authenticatorData }
    }

    private static func credential(
        in bytes: [UInt8], at position: inout Int
    ) throws(PasskeyRefusal) -> Credential {
        let rest = bytes[position...]
        guard rest.count >= aaguidBytes + 2 else { throw .authenticatorData }
        let aaguid = rest.prefix(aaguidBytes)
        let length = Int(bytes[aaguid.endIndex]) << 8 | Int(bytes[aaguid.endIndex + 1])
        let id = rest.dropFirst(aaguidBytes + 2).prefix(length)
        guard id.count == length else { throw .authenticatorData }
        position = id.endIndex
        guard try value(in: bytes, at: &position).map != nil else { throw .authenticatorData }
        return Credential(
            aaguid: Array(aaguid), id: Array(id), key: Array(bytes[id.endIndex..<position]))
    }

    /// Reads one CBOR value and advances past it.
    private static func value(
        in bytes: [UInt8], at position: inout Int
    ) throws(PasskeyRefusal) -> CBORValue {
        do {
            var reader = try CBORReader(bytes, at: position)
            let value = try reader.value()
            position = reader.position
            return value
        } catch {
            // The caller learns no reason; the log has which part was malformed.
            throw .authenticatorData
        }
    }
}
