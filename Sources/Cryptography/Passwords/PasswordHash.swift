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
    func matches(_ password: SecretBytes, in memory: Argon2.Memory) throws -> Bool {
        let hash = try Argon2.hash(
            Argon2.Input(password: password, salt: salt), parameters: parameters,
            count: hash.count, in: memory)
        return constantTimeEqual(hash, self.hash)
    }
}

/// Why a stored password hash cannot be used.
package enum PasswordHashError: String, Error, Sendable {
    /// Its text does not have the form of its algorithm.
    case malformed = "malformed"
    /// Its algorithm is not supported.
    case unknownAlgorithm = "unknown-algorithm"
    /// Checking a password would take more memory or time than is allowed.
    case tooCostly = "too-costly"
    /// Its salt or hash is too short or too long.
    case badLength = "bad-length"
    /// It belongs to a Firebase project whose parameters are missing.
    case projectMissing = "project-missing"
}

extension PasswordHash {
    /// Limits on the size of a stored text. `Argon2Parameters` limits its cost.
    private static let textBytesMax = 256
    private static let saltBytesAllowed = 8...64
    private static let hashBytesAllowed = 16...64

    /// Parses a PHC string: Argon2id, version 19, at most 64 MiB, 16 passes and 16 lanes, at least
    /// 8 KiB a lane, a salt of 8 to 64 bytes and a hash of 16 to 64.
    /// - Throws: `PasswordHashError`.
    package init(text: String) throws(PasswordHashError) {
        let parts = try ForeignHash.TextParts(text)
        guard text.utf8.count <= Self.textBytesMax, parts.count == 5, parts[0] == "argon2id",
            parts[1] == "v=\(Argon2.version)"
        else { throw PasswordHashError.malformed }
        let numbers = try parts.numbers(["m", "t", "p"], at: 2)
        let parameters = Argon2Parameters(
            memoryKiB: numbers[0], passes: numbers[1], lanes: numbers[2])
        guard parameters.areAllowed else { throw PasswordHashError.malformed }
        self.init(
            parameters: parameters, salt: try parts.bytes(at: 3, Self.saltBytesAllowed),
            hash: try parts.bytes(at: 4, Self.hashBytesAllowed))
    }
}
