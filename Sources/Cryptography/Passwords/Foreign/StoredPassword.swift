/// A stored password hash, of this system or imported. Its text shows which.
package struct StoredPassword: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case own(PasswordHash)
        case foreign(ForeignHash)
    }

    private let form: Form

    /// Parses a hash's text.
    /// - Throws: `PasswordHashError`, also for hashes that cost more than `HashCost` allows.
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
        case .own(let hash): hash.parameters.memoryKiB * hash.parameters.passes / 10 * 6
        case .foreign(let hash): hash.cost.microseconds
        }
    }

    func matches(
        _ password: SecretBytes, of project: FirebaseProject?, in memory: Argon2Memory
    ) throws -> Bool {
        switch form {
        case .own(let hash): try hash.matches(password, in: memory)
        case .foreign(let hash): try hash.matches(password, of: project, in: memory)
        }
    }
}
