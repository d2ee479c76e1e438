/// A password's hash with all that is needed to check a password against it, kept as a PHC string:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, the last two in Base64 without padding.
/// Source: https://github.com/P-H-C/phc-string-format
package struct PasswordHash: Hashable, Sendable {
    /// Bytes of salt and hash in what this program makes.
    static let saltBytes = 16
    static let hashBytes = 32

    /// What it cost.
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

    /// Whether a hash of `wanted` would be stronger: to be made anew at the next sign-in (I-03).
    package func needsUpgrade(to wanted: Argon2Parameters) -> Bool {
        parameters.memoryKiB < wanted.memoryKiB || parameters.passes < wanted.passes
            || salt.count < Self.saltBytes || hash.count < Self.hashBytes
    }

    /// Whether it is `password`'s, in a time that says nothing about how far the hashes agree.
    func matches(_ password: SecretBytes, in memory: Argon2Memory) throws -> Bool {
        let hash = try Argon2.hash(
            password, salt: salt, parameters: parameters, count: hash.count, in: memory)
        return constantTimeEqual(hash, self.hash)
    }
}
