/// A stored password hash, ours or another system's, as its text says.
package struct StoredPassword: Hashable, Sendable {
    private enum Form: Hashable, Sendable {
        case own(PasswordHash)
        case foreign(ForeignHash)
    }

    private let form: Form

    /// The hash that a text holds.
    /// - Throws: `PasswordHashError`: also for what would cost more than `HashCost` allows.
    package init(text: String) throws(PasswordHashError) {
        do {
            form = .own(try PasswordHash(text: text))
        } catch {
            form = .foreign(try ForeignHash(text: text))
        }
    }

    /// The one text for it, to store.
    package var text: String {
        switch form {
        case .own(let hash): hash.text
        case .foreign(let hash): hash.text
        }
    }

    /// Which of the store's Firebase projects it needs to be checked; nil for none.
    package var firebaseProject: Int64? {
        if case .foreign(.firebaseScrypt(let hash)) = form { hash.project } else { nil }
    }

    /// Bytes of the hash itself: of Firebase's as many as the project's signer key has.
    package var hashBytes: Int? {
        if case .foreign(.firebaseScrypt(let hash)) = form { hash.hash.count } else { nil }
    }

    /// Whether a hash of `wanted` would be stronger. Another system's always gives way (I-03): what
    /// it costs to check is not ours to choose.
    func needsUpgrade(to wanted: Argon2Parameters) -> Bool {
        switch form {
        case .own(let hash): hash.needsUpgrade(to: wanted)
        case .foreign: true
        }
    }

    /// Its algorithm and cost, where they are others than those that `parameters` stand for.
    func scheme(
        besides parameters: Argon2Parameters
    ) throws(PasswordHashError) -> PasswordScheme? {
        switch form {
        case .own(let hash) where hash.parameters == parameters: nil
        case .own(let hash): try PasswordScheme(of: hash)
        case .foreign(let hash): try PasswordScheme(of: hash)
        }
    }

    /// What a check costs, as far as is known without measuring, in microseconds.
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
