/// Whether a store belongs to the master key that its program was given. Pure:
///
///     the store has                the key                            verdict
///     a check value                makes the same value               proved
///     a check value                makes another value                refused
///     no check value, sealed rows  opens half of the oldest or more   proved, value to be written
///     no check value, sealed rows  opens fewer                        refused
///     no check value, no rows      any                                proved, value to be written
///
/// Failure that it prevents: a store is started with the key of another data folder. Every address
/// is then unknown, sign-up creates duplicate accounts, and data written meanwhile cannot be
/// decrypted with the right key.
///
/// Half of the oldest rows: one damaged row does not lock the operator out, and rows that a wrong
/// key added later do not count.
enum StoreKeyVerdict: Hashable, Sendable {
    /// The key is the store's.
    case proved(writesCheck: Bool)
    /// The store was created with another key.
    case refused

    /// - Parameters:
    ///   - stored: the store's check value; nil where it has none.
    ///   - check: the check value that the key makes.
    ///   - opened: for each of the oldest sealed values, whether the key opens it.
    init(stored: [UInt8]?, check: [UInt8], opened: [Bool]) {
        if let stored {
            self = stored == check ? .proved(writesCheck: false) : .refused
        } else {
            let count = opened.count { $0 }
            self = count * 2 >= opened.count ? .proved(writesCheck: true) : .refused
        }
    }
}

extension Store {
    /// How many of the oldest sealed values are tried where the store has no check value yet.
    package static let keyTrialsMax: Int64 = 8

    /// Rejects the store if it was created with another master key (`StoreKeyVerdict`). Called at
    /// each start before anything is read or written under the key. A store without a check value
    /// gets one.
    /// - Parameters:
    ///   - check: a keyed hash under the master key, for this purpose only.
    ///   - file: the key's file, for the error.
    ///   - opened: tries up to `keyTrialsMax` of the oldest sealed values; for each, whether the
    ///     key opens it.
    /// - Throws: `StoreError.otherKey`, `StoreError.otherHostsKey`; what `write` and `read` throw.
    package func requireKey(
        check: [UInt8], file: String,
        opened: @escaping @Sendable (any SQLSession, _ limit: Int64) throws -> [Bool]
    ) async throws {
        let verdict = try await read { session in
            let stored = try session.keyCheck()
            return StoreKeyVerdict(
                stored: stored, check: check,
                opened: stored == nil ? try opened(session, Self.keyTrialsMax) : [])
        }
        switch verdict {
        case .proved(writesCheck: false): break
        case .proved(writesCheck: true):
            let isOurs = try await write(about: [.table("key_check")]) { transaction in
                // Of two first starts at once, one writes its value, and the other reads it.
                if let stored = try transaction.keyCheck() { return stored == check }
                try transaction.setKeyCheck(check)
                return true
            }
            guard isOurs else { throw otherKey(file) }
        case .refused: throw otherKey(file)
        }
    }

    /// The error about another key than the store's.
    func otherKey(_ file: String) -> StoreError {
        isOnServer
            ? .otherHostsKey(store: location, key: file) : .otherKey(store: location, key: file)
    }
}

/// The keys of a service, which seal values in its store.
package protocol StoreKeys: Sendable {
    /// For each of the oldest sealed values, at most `limit` of them, whether these keys open it.
    /// - Throws: `SQLError`.
    func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool]
}

extension SQLSession {
    /// The check value of the master key; nil in a store of a version that wrote none.
    func keyCheck() throws -> [UInt8]? {
        try queryOne("SELECT check_value FROM key_check WHERE id = 1") { try $0.blob(0) }
    }
}

extension Transaction {
    fileprivate func setKeyCheck(_ value: [UInt8]) throws {
        try put("INSERT INTO key_check (id, check_value) VALUES (1, ?)", [.blob(value)])
    }
}
