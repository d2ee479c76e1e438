/// A private ES256 key, which signs. It is stored as its scalar, sealed (`SealedBox`).
package struct SigningKey: Sendable {
    /// The public half.
    package let verifyingKey: VerifyingKey
    private let key: P256Key

    private init(key: P256Key, point: [UInt8]) {
        self.key = key
        verifyingKey = VerifyingKey(key: key, point: point)
    }

    /// Generates a key.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    package static func generate() throws -> SigningKey {
        let key = try P256Key.generate()
        return SigningKey(key: key, point: try key.point())
    }

    /// The key with the private scalar `scalar` (32 bytes, big-endian).
    /// - Throws: `CryptographyError.invalidKey` unless it is in 1 … n−1.
    package init(scalar: SecretBytes) throws {
        let point = try P256.point(of: scalar)
        self.init(key: try P256.key(point: point, scalar: scalar), point: point)
    }

    /// The private scalar (32 bytes, big-endian), to be sealed and stored.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func scalar() throws -> SecretBytes { try key.scalar() }

    /// The `kid` of tokens that this key signs.
    package var identifier: String { verifyingKey.identifier }

    /// A signature of 64 bytes, r and s. It differs each time, since ECDSA uses a random number.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) { try ES256.sign($0, with: key) }
    }
}
