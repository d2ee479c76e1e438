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
        let parts = try HashTextParts(text)
        self =
            switch parts[0] {
            case "2a", "2b", "2y": .bcrypt(try BcryptHash(parts))
            case "scrypt": .scrypt(try ScryptHash(parts))
            case "firebase-scrypt": .firebaseScrypt(try FirebaseScryptHash(parts))
            case "argon2id", "argon2i", "argon2d": .argon2(try ForeignArgon2Hash(parts))
            case let name where PBKDF2Hash.Digest(rawValue: name) != nil:
                .pbkdf2(try PBKDF2Hash(parts))
            default: throw PasswordHashError(.unknownAlgorithm)
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

    var cost: HashCost {
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
        _ password: SecretBytes, of project: FirebaseProject?, in memory: Argon2Memory
    ) throws -> Bool {
        switch self {
        case .bcrypt(let hash): return try hash.matches(password)
        case .scrypt(let hash): return try hash.matches(password)
        case .firebaseScrypt(let hash):
            guard let project else { throw PasswordHashError(.projectMissing) }
            return try hash.matches(password, of: project)
        case .pbkdf2(let hash): return try hash.matches(password)
        case .argon2(let hash): return try hash.matches(password, in: memory)
        }
    }
}
