/// A password's hash with everything needed to check a password against it, stored as a PHC string:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, the last two in Base64 without padding.
/// Source: https://github.com/P-H-C/phc-string-format
package struct PasswordHash: Hashable, Sendable {
    /// The sizes of salt and hash in new hashes, in bytes.
    static let saltBytes = 16
    static let hashBytes = 32

    /// The cost of this hash.
    package let parameters: Argon2Parameters
    let salt: [UInt8]
    let hash: [UInt8]

    init(parameters: Argon2Parameters, salt: [UInt8], hash: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }

    /// The text to store.
    package var text: String {
        "$argon2id$v=\(Argon2.version)$m=\(parameters.memoryKiB),t=\(parameters.passes),"
            + "p=\(parameters.lanes)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
    }

    /// Whether a hash with the cost `wanted` would be stronger. Then the password is hashed again
    /// at the next sign-in (I-03).
    package func needsUpgrade(to wanted: Argon2Parameters) -> Bool {
        parameters.memoryKiB < wanted.memoryKiB || parameters.passes < wanted.passes
            || salt.count < Self.saltBytes || hash.count < Self.hashBytes
    }

    /// Whether this is the hash of `password`, in a time that does not depend on how far the hashes
    /// agree.
    /// - Throws: `CryptographyError`.
    func matches(_ password: SecretBytes, in memory: Argon2Memory) throws -> Bool {
        let hash = try Argon2.hash(
            password, salt: salt, parameters: parameters, count: hash.count, in: memory)
        return constantTimeEqual(hash, self.hash)
    }
}
