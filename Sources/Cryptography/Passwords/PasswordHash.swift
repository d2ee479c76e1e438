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
    /// - Throws: `PasswordHashError` with `.malformed`.
    package init(text: String) throws(PasswordHashError) {
        guard text.utf8.count <= Self.textBytesMax else { throw PasswordHashError.malformed }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1].elementsEqual("argon2id".utf8),
            parts[2].elementsEqual("v=\(Argon2.version)".utf8),
            let parameters = Self.parameters(parts[3]),
            let salt = Base64.decodeUnpadded(parts[4]), Self.saltBytesAllowed ~= salt.count,
            let hash = Base64.decodeUnpadded(parts[5]), Self.hashBytesAllowed ~= hash.count
        else { throw PasswordHashError.malformed }
        self.init(parameters: parameters, salt: salt, hash: hash)
    }

    /// Parses `m=…,t=…,p=…`, in this order.
    private static func parameters(_ text: Substring.UTF8View) -> Argon2Parameters? {
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 3, let memory = number(parts[0], after: "m="),
            let passes = number(parts[1], after: "t="), let lanes = number(parts[2], after: "p=")
        else { return nil }
        let parameters = Argon2Parameters(memoryKiB: memory, passes: passes, lanes: lanes)
        return parameters.areAllowed ? parameters : nil
    }

    /// Parses a decimal number without leading zeros or sign.
    private static func number(_ text: Substring.UTF8View, after name: String) -> Int? {
        guard text.starts(with: name.utf8) else { return nil }
        let digits = Substring(text.dropFirst(name.utf8.count))
        guard let number = Int(digits), "\(number)" == digits else { return nil }
        return number
    }
}
