/// A private Ed25519 key, which signs. It is stored as its seed of 32 bytes.
package struct Ed25519SigningKey: Sendable {
    /// The public half.
    package let verifyingKey: Ed25519VerifyingKey
    private let key: Ed25519Key

    /// The key of a seed.
    /// - Throws: `CryptographyError.invalidKey` unless the seed has 32 bytes.
    package init(seed: SecretBytes) throws {
        guard seed.count == Ed25519.keyBytes else {
            throw CryptographyError.invalidKey("an Ed25519 seed has \(Ed25519.keyBytes) bytes")
        }
        key = try Ed25519Key(seed: seed)
        verifyingKey = try Ed25519VerifyingKey(bytes: key.publicKey())
    }

    /// A signature of 64 bytes, the same each time for one message (RFC 8032, 5.1.6).
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) { try Ed25519.sign($0, with: key) }
    }
}

/// A public Ed25519 key, which verifies signatures.
package struct Ed25519VerifyingKey: Sendable {
    /// The key, 32 bytes.
    package let bytes: [UInt8]
    private let key: Ed25519Key

    /// The key with these 32 bytes.
    /// - Throws: `CryptographyError.invalidKey` for another length, and for the few points of small
    ///   order, for which anybody can forge signatures (a file of zeros is one).
    package init(bytes: [UInt8]) throws {
        guard bytes.count == Ed25519.keyBytes else {
            throw CryptographyError.invalidKey("an Ed25519 key has \(Ed25519.keyBytes) bytes")
        }
        guard !SmallOrderPoints.contains(bytes) else {
            throw CryptographyError.invalidKey("the Ed25519 key is a point of small order")
        }
        self.bytes = bytes
        key = try Ed25519Key(publicKey: bytes)
    }

    /// Whether `signature` (64 bytes) is a valid signature of `message` by this key.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { Ed25519.verify(signature, of: $0, with: key) }
    }
}

/// The encodings of the eight points of edwards25519 whose order divides 8, and the non-canonical
/// encodings that decode to one of them (RFC 7748, section 7, on contributory behaviour; libsodium
/// has the same list).
enum SmallOrderPoints {
    /// The y coordinates with the sign bit of x cleared.
    private static let all: Set<[UInt8]> = [
        [0] + zeros,  // y = 0, order 4
        [1] + zeros,  // y = 1, the neutral element
        [0xEC] + top,  // y = −1, order 2
        [0xED] + top,  // y = p, read as 0
        [0xEE] + top,  // y = p + 1, read as 1
        eighth, otherEighth,
    ]
    private static let zeros = [UInt8](repeating: 0, count: 31)
    private static let top = [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    /// The y coordinate of two points of order 8.
    private static let eighth: [UInt8] = [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
        0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53,
        0xFC, 0x05,
    ]
    /// The y coordinate of the two others: p minus the first.
    private static let otherEighth: [UInt8] = [
        0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67,
        0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC,
        0x03, 0x7A,
    ]

    static func contains(_ key: [UInt8]) -> Bool {
        guard let last = key.last else { return false }
        return all.contains(key.dropLast() + [last & 0x7F])
    }
}
