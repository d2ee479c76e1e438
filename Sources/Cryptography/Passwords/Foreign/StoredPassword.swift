/// A stored password hash, of this system or imported. Its text shows which.
package struct StoredPassword: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case own(PasswordHash)
        case foreign(ForeignHash)
    }

    private let form: Form

    /// Parses a hash's text.
    /// - Throws: `PasswordHashError`, also for hashes that cost more than `ForeignHash.Cost`
    ///   allows.
    package init(text: String) throws(PasswordHashError) {
        do {
            form = .own(try PasswordHash(text: text))
        } catch {
            form = .foreign(try ForeignHash(text: text))
        }
    }

    /// The canonical text to store.
    package var text: String {
        switch form {
        case .own(let hash): hash.text
        case .foreign(let hash): hash.text
        }
    }

    /// The id of the Firebase project in the store whose parameters a check needs. Nil for other
    /// hashes.
    package var firebaseProject: Int64? {
        if case .foreign(.firebaseScrypt(let hash)) = form { hash.project } else { nil }
    }

    /// The size of a Firebase hash in bytes, which equals that of the project's signer key. Nil for
    /// other hashes.
    package var hashBytes: Int? {
        if case .foreign(.firebaseScrypt(let hash)) = form { hash.hash.count } else { nil }
    }

    /// Whether a hash with the cost `wanted` would be stronger. Always true for imported hashes
    /// (I-03), since this system does not choose the cost of checking them.
    func needsUpgrade(to wanted: Argon2Parameters) -> Bool {
        switch form {
        case .own(let hash): hash.needsUpgrade(to: wanted)
        case .foreign: true
        }
    }

    /// The algorithm and cost of the hash, where they differ from this system's own with
    /// `parameters`.
    /// - Throws: `PasswordHashError`.
    func scheme(
        besides parameters: Argon2Parameters
    ) throws(PasswordHashError) -> PasswordScheme? {
        switch form {
        case .own(let hash) where hash.parameters == parameters: nil
        case .own(let hash): try PasswordScheme(of: hash)
        case .foreign(let hash): try PasswordScheme(of: hash)
        }
    }

    /// The estimated cost of a check, in microseconds.
    var microseconds: Int {
        switch form {
        case .own(let hash): hash.parameters.microseconds
        case .foreign(let hash): hash.cost.microseconds
        }
    }

    func matches(
        _ password: SecretBytes, of project: FirebaseProject?, in memory: Argon2.Memory
    ) throws -> Bool {
        switch form {
        case .own(let hash): try hash.matches(password, in: memory)
        case .foreign(let hash): try hash.matches(password, of: project, in: memory)
        }
    }
}

/// An algorithm and its cost, as stored hashes have them. The duration of a check is measured for
/// each scheme, so that all failed sign-ins can take as long as the slowest.
package struct PasswordScheme: Hashable, Sendable {
    /// The name, stored beside a hash: the beginning of the hash's text, `$2b$10`.
    package let name: String
    /// A hash of this scheme that matches no password.
    let sample: StoredPassword

    /// The estimated cost of a check in microseconds, for comparing schemes.
    package var microseconds: Int { sample.microseconds }

    /// The scheme with that name.
    /// - Throws: `PasswordHashError` for an invalid name.
    package init(name: String) throws(PasswordHashError) {
        self.name = name
        let salt = Base64.encodeUnpadded([UInt8](repeating: 1, count: PasswordHash.saltBytes))
        // Short enough for one run of PBKDF2 with any digest.
        let hash = Base64.encodeUnpadded([UInt8](repeating: 2, count: 16))
        let firebaseHash = Base64.encodeUnpadded([UInt8](repeating: 2, count: 64))
        sample =
            if name.hasPrefix("$2") {
                try StoredPassword(text: name + "$" + String(repeating: ".", count: 53))
            } else if name.hasPrefix("$firebase-scrypt$") {
                try StoredPassword(text: "\(name)$k=1$\(salt)$\(firebaseHash)")
            } else {
                try StoredPassword(text: "\(name)$\(salt)$\(hash)")
            }
    }

    init(of hash: ForeignHash) throws(PasswordHashError) {
        try self.init(name: hash.schemeName)
    }

    init(of hash: PasswordHash) throws(PasswordHashError) {
        let parts = hash.text.split(separator: "$", omittingEmptySubsequences: false)
        try self.init(name: parts.prefix(4).joined(separator: "$"))
    }
}
