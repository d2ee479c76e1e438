/// A password hash that another system created (I-03). It is stored as imported, so that its owner
/// signs in with the existing password. At that sign-in the password is hashed again with this
/// system's own algorithm.
enum ForeignHash: Hashable, Sendable {
    case bcrypt(BcryptHash)
    case scrypt(ScryptHash)
    case firebaseScrypt(FirebaseScryptHash)
    case pbkdf2(PBKDF2Hash)
    case argon2(ForeignArgon2Hash)

    /// Some systems used short salts or none. Importing such a hash does not make it weaker.
    static let saltBytes = 0...64
    /// A shorter hash would let wrong passwords match.
    static let hashBytes = 16...128

    /// Parses a hash's text.
    /// - Throws: `PasswordHashError`, with the reason.
    init(text: String) throws(PasswordHashError) {
        let parts = try ForeignHash.TextParts(text)
        self =
            switch parts[0] {
            case "2a", "2b", "2y": .bcrypt(try BcryptHash(parts))
            case "scrypt": .scrypt(try ScryptHash(parts))
            case "firebase-scrypt": .firebaseScrypt(try FirebaseScryptHash(parts))
            case "argon2id", "argon2i", "argon2d": .argon2(try ForeignArgon2Hash(parts))
            case let name where PBKDF2Hash.Digest(rawValue: name) != nil:
                .pbkdf2(try PBKDF2Hash(parts))
            default: throw PasswordHashError.unknownAlgorithm
            }
    }

    /// The canonical text of the hash.
    var text: String {
        switch self {
        case .bcrypt(let hash): hash.text
        case .scrypt(let hash): hash.text
        case .firebaseScrypt(let hash): hash.text
        case .pbkdf2(let hash): hash.text
        case .argon2(let hash): hash.text
        }
    }

    /// The algorithm and its cost, without the parts that differ between accounts.
    var schemeName: String {
        switch self {
        case .bcrypt(let hash): hash.schemeName
        case .scrypt(let hash): hash.schemeName
        case .firebaseScrypt(let hash): hash.schemeName
        case .pbkdf2(let hash): hash.schemeName
        case .argon2(let hash): hash.schemeName
        }
    }

    var cost: ForeignHash.Cost {
        switch self {
        case .bcrypt(let hash): hash.cost
        case .scrypt(let hash): hash.parameters.cost
        case .firebaseScrypt(let hash): hash.parameters.cost
        case .pbkdf2(let hash): hash.cost
        case .argon2(let hash): hash.cost
        }
    }

    /// Whether this is the hash of `password`, in a time that does not depend on how far the hashes
    /// agree.
    /// - Parameter project: The project of a hash of Firebase's. Other hashes ignore it.
    /// - Throws: `PasswordHashError` with `.projectMissing` where `project` is needed and nil, and
    ///   `CryptographyError`.
    func matches(
        _ password: SecretBytes, of project: FirebaseProject?, in memory: Argon2.Memory
    ) throws -> Bool {
        switch self {
        case .bcrypt(let hash): return try hash.matches(password)
        case .scrypt(let hash): return try hash.matches(password)
        case .firebaseScrypt(let hash):
            guard let project else { throw PasswordHashError.projectMissing }
            return try hash.matches(password, of: project)
        case .pbkdf2(let hash): return try hash.matches(password)
        case .argon2(let hash): return try hash.matches(password, in: memory)
        }
    }

    /// The parts of a hash's text between its dollar signs, parsed strictly: each hash has only one
    /// text.
    struct TextParts {
        /// The limit on the whole text. The longest hash has 128 bytes of hash and 64 of salt in
        /// Base64.
        private static let textBytesMax = 400

        private let parts: [Substring.UTF8View]

        /// Splits `$a$b$c`. The empty part before the first dollar sign is omitted.
        /// - Throws: `PasswordHashError` with `.malformed`.
        init(_ text: String) throws(PasswordHashError) {
            let parts = text.utf8.split(
                separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            guard text.utf8.count <= Self.textBytesMax, parts.first?.isEmpty == true else {
                throw PasswordHashError.malformed
            }
            self.parts = Array(parts.dropFirst())
        }

        /// The number of parts.
        var count: Int { parts.count }

        /// One part as text. Empty where there is no such part.
        subscript(place: Int) -> String {
            parts.indices.contains(place) ? String(Substring(parts[place])) : ""
        }

        /// The numbers of `a=1,b=2`, which must have these names in this order.
        /// - Throws: `PasswordHashError` with `.malformed`.
        func numbers(_ names: [String], at place: Int) throws(PasswordHashError) -> [Int] {
            let fields = self[place].split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == names.count else { throw PasswordHashError.malformed }
            var numbers: [Int] = []
            for (field, name) in zip(fields, names) {
                // A decimal number without leading zeros or sign.
                guard field.hasPrefix(name + "="),
                    let number = Int(field.dropFirst(name.count + 1)),
                    "\(number)" == field.dropFirst(name.count + 1)
                else { throw PasswordHashError.malformed }
                numbers.append(number)
            }
            return numbers
        }

        /// The bytes of a part in unpadded Base64. Their number must be in `allowed`.
        /// - Throws: `PasswordHashError` with `.malformed` or `.badLength`.
        func bytes(
            at place: Int, _ allowed: ClosedRange<Int>
        ) throws(PasswordHashError) -> [UInt8] {
            guard parts.indices.contains(place), let bytes = Base64.decodeUnpadded(parts[place])
            else {
                throw PasswordHashError.malformed
            }
            guard allowed.contains(bytes.count) else { throw PasswordHashError.badLength }
            return bytes
        }
    }

    /// The cost of one check of a hash, estimated from its parameters.
    ///
    /// Imported hashes come from files of unknown origin. One row must not be able to cost a
    /// gigabyte or a minute at each sign-in, and every failed sign-in takes as long as the slowest
    /// stored hash. So hashes above these limits are rejected at import.
    struct Cost: Hashable, Sendable {
        /// The memory of OWASP's scrypt parameters (N = 2¹⁷, r = 8), in bytes.
        static let memoryBytesMax = 128 << 20
        /// In microseconds. bcrypt at cost 14 takes 0.9 s on the reference core, a server's AMD
        /// EPYC core. All estimates are for that core.
        static let microsecondsMax = 1_100_000

        let memoryBytes: Int
        /// Estimated for the reference core.
        let microseconds: Int

        /// - Throws: `PasswordHashError` with `.tooCostly` above the limits.
        func requireAllowed() throws(PasswordHashError) {
            guard 0...Self.memoryBytesMax ~= memoryBytes, 0...Self.microsecondsMax ~= microseconds
            else { throw PasswordHashError.tooCostly }
        }
    }
}
