/// A password's hash that another system made (I-03): kept as it came, so that its owner signs in
/// with the password they have, and made anew in our form when they do.
enum ForeignHash: Hashable, Sendable {
    case bcrypt(BcryptHash)
    case scrypt(ScryptHash)
    case firebaseScrypt(FirebaseScryptHash)
    case pbkdf2(PBKDF2Hash)
    case argon2(ForeignArgon2Hash)

    /// Some systems had short salts or none: what their owners had is not made weaker by taking it.
    static let saltBytes = 0...64
    /// A shorter hash would let a password in that is none.
    static let hashBytes = 16...128

    /// The hash that a text holds.
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

    /// The one text for it.
    var text: String {
        switch self {
        case .bcrypt(let hash): hash.text
        case .scrypt(let hash): hash.text
        case .firebaseScrypt(let hash): hash.text
        case .pbkdf2(let hash): hash.text
        case .argon2(let hash): hash.text
        }
    }

    /// Algorithm and cost, without what is one account's.
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

    /// Whether it is `password`'s, in a time that says nothing about how far the hashes agree.
    /// - Parameter project: what a hash of Firebase's needs; nothing else looks at it.
    /// - Throws: `.projectMissing` where that is not given.
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
