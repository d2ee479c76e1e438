import COpenSSL

/// An imported PBKDF2 hash (RFC 8018, 5.2): `$pbkdf2-sha256$i=600000$salt$hash`, Base64 without
/// padding. Also with SHA-1 and SHA-512.
struct PBKDF2Hash: Hashable, Sendable {
    /// The hash function of the HMAC. The raw values are the names in a hash's text.
    enum Digest: String, CaseIterable {
        case sha1 = "pbkdf2-sha1"
        case sha256 = "pbkdf2-sha256"
        case sha512 = "pbkdf2-sha512"

        fileprivate var algorithm: OpaquePointer {
            switch self {
            case .sha1: Algorithms.sha1
            case .sha256: Algorithms.sha256
            case .sha512: Algorithms.sha512
            }
        }

        /// The output of one run of all iterations, in bytes. A longer hash needs several runs.
        fileprivate var byteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// The most iterations that `ForeignHash.Cost` allows.
    private static let iterationsMax = ForeignHash.Cost.microsecondsMax / 4 * 10

    let digest: Digest
    let iterations: Int
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: ForeignHash.TextParts) throws(PasswordHashError) {
        let numbers = try parts.numbers(["i"], at: 1)
        guard parts.count == 4, numbers.count == 1, let digest = Digest(rawValue: parts[0]) else {
            throw PasswordHashError.malformed
        }
        let iterations = numbers[0]
        guard iterations >= 1 else { throw PasswordHashError.malformed }
        guard iterations <= Self.iterationsMax else { throw PasswordHashError.tooCostly }
        self.digest = digest
        self.iterations = iterations
        salt = try parts.bytes(at: 2, ForeignHash.saltBytes)
        hash = try parts.bytes(at: 3, ForeignHash.hashBytes)
        try cost.requireAllowed()
    }

    /// The number of iterations in all runs. Each takes about 0.4 µs.
    private var rounds: Int {
        iterations * ((hash.count + digest.byteCount - 1) / digest.byteCount)
    }

    var cost: ForeignHash.Cost { ForeignHash.Cost(memoryBytes: 0, microseconds: rounds / 10 * 4) }

    var text: String {
        "$\(digest.rawValue)$i=\(iterations)$\(Base64.encodeUnpadded(salt))"
            + "$\(Base64.encodeUnpadded(hash))"
    }

    /// The iterations, rounded up to four significant bits but not above the limit. Some systems
    /// randomise them, and each stored scheme is measured.
    var schemeName: String {
        let step = max(0, Int.bitWidth - rounds.leadingZeroBitCount - 4)
        let rounded = ((rounds + (1 << step) - 1) >> step) << step
        return "$\(digest.rawValue)$i=\(min(rounded, Self.iterationsMax))"
    }

    func matches(_ password: SecretBytes) throws -> Bool {
        let found = try SecretBytes(count: hash.count) { output in
            let isDone = password.withBytes { password in
                PKCS5_PBKDF2_HMAC(
                    password.bindMemory(to: CChar.self).baseAddress, Int32(password.count),
                    salt, Int32(salt.count), Int32(iterations), digest.algorithm,
                    Int32(hash.count), output.bindMemory(to: UInt8.self).baseAddress)
            }
            guard isDone == 1 else { throw CryptographyError.library("PBKDF2") }
        }
        return found.withBytes { constantTimeEqual($0, hash) }
    }
}
