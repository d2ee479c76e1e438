import CCrypt
import Glibc

/// An imported bcrypt hash in its usual form: `$2b$10$`, then 22 characters of salt and 31 of hash
/// in bcrypt's own Base64 alphabet. Also `$2a$` and `$2y$`, which are computed in the same way.
struct BcryptHash: Hashable, Sendable {
    /// bcrypt ignores all bytes of a password after these.
    private static let passwordBytesMax = 72
    private static let prefixes: Set<String> = ["2a", "2b", "2y"]
    /// bcrypt's lowest cost, and a cost that takes 0.9 s.
    private static let costs = 4...14
    private static let tailBytes = 53
    private static let hashCharacters = 31

    let text: String
    let costLog: Int

    /// - Throws: `PasswordHashError`.
    init(_ parts: ForeignHash.TextParts) throws(PasswordHashError) {
        guard parts.count == 3, Self.prefixes.contains(parts[0]), parts[1].utf8.count == 2,
            let cost = Int(parts[1]), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            Self.costs.lowerBound <= cost, parts[2].utf8.count == Self.tailBytes,
            parts[2].utf8.allSatisfy(Self.isInAlphabet)
        else { throw PasswordHashError.malformed }
        guard Self.costs.contains(cost) else { throw PasswordHashError.tooCostly }
        text = "$\(parts[0])$\(parts[1])$\(parts[2])"
        costLog = cost
    }

    private static func isInAlphabet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "/"), 48...57, 65...90, 97...122: true
        default: false
        }
    }

    /// The same name for all three prefixes.
    var schemeName: String { "$2b$\(costLog < 10 ? "0" : "")\(costLog)" }

    /// Cost 0 takes 55 µs.
    var cost: ForeignHash.Cost { ForeignHash.Cost(memoryBytes: 0, microseconds: 55 << costLog) }

    func matches(_ password: SecretBytes) throws -> Bool {
        let phrase = SecretBytes(count: Self.passwordBytesMax + 1) { phrase in
            password.withBytes { phrase.copyBytes(from: $0.prefix(Self.passwordBytesMax)) }
        }
        // C ends the password at a NUL; no password that bcrypt was given contained one.
        let hasNUL = password.withBytes { $0.contains(0) }
        var isEqual = false
        // The memory is wiped when it is released.
        _ = try SecretBytes(count: ccrypt_memory_bytes()) { memory in
            let found = phrase.withBytes { phrase in
                ccrypt_hash(
                    phrase.bindMemory(to: CChar.self).baseAddress, text, memory.baseAddress)
            }
            guard let found else { throw CryptographyError.system("bcrypt", errno) }
            // Compares only the part after the salt: the salt was an input, and some systems leave
            // bits in its last character that libcrypt clears.
            isEqual = constantTimeEqual(
                UnsafeRawBufferPointer(start: found, count: strlen(found))
                    .suffix(Self.hashCharacters),
                text.utf8.suffix(Self.hashCharacters))
        }
        return isEqual && !hasNUL
    }
}
