/// A private ES256 key: signs. It is stored as its number, sealed (`SealedBox`).
package struct SigningKey: Sendable {
    /// The public half.
    package let verifyingKey: VerifyingKey
    private let key: P256Key

    private init(key: P256Key, point: [UInt8]) {
        self.key = key
        verifyingKey = VerifyingKey(key: key, point: point)
    }

    /// A new key.
    package static func generate() throws -> SigningKey {
        let key = try P256Key.generate()
        return SigningKey(key: key, point: try key.point())
    }

    /// The key whose private number `scalar` (32 bytes, big-endian) is.
    /// - Throws: `CryptographyError.invalidKey` unless it is in 1 … n−1.
    package init(scalar: SecretBytes) throws {
        let point = try P256.point(of: scalar)
        self.init(key: try P256.key(point: point, scalar: scalar), point: point)
    }

    /// The private number (32 bytes, big-endian), to be sealed and stored.
    package func scalar() throws -> SecretBytes { try key.scalar() }

    /// The `kid` of tokens that this key signs.
    package var identifier: String { verifyingKey.identifier }

    /// 64 bytes, r and s. Never the same twice: ECDSA draws a number for each.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) { try ES256.sign($0, with: key) }
    }
}
