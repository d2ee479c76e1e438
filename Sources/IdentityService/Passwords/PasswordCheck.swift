import Cryptography
import ServiceRuntime
import Storage

/// Compares a password with an account's hash. It computes one hash in every case (G-03), so
/// response times do not disclose whether the account exists or has a password.
struct PasswordCheck: AccountWriting, Sendable {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordHashPool
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time

    /// Whether `password` is the holder's; false without a holder. A negative result is delayed
    /// until a check of the slowest stored hash would have ended (`ResponseTimeFloor`).
    /// - Throws: `rpc/resource-exhausted` with a retry delay when the hash queue is full.
    func isRight(_ password: Password, of holder: PasswordHolder?) async throws -> Bool {
        try await verdict(password, of: holder).isRight
    }

    /// The same, and the uptime from which the minimum time of a negative result is counted.
    /// - Throws: as `isRight`.
    func verdict(
        _ password: Password, of holder: PasswordHolder?
    ) async throws -> (isRight: Bool, begun: Duration) {
        let entered = time.uptime()
        let verdict = try await check(password, of: holder)
        let begun = entered + verdict.waited
        if !verdict.isRight { try await responseTimeFloor.waitOut(from: begun) }
        return (verdict.isRight, begun)
    }

    /// The same for a text as entered; one that no password can be is wrong.
    func isRight(_ entered: SecretBytes, of holder: PasswordHolder?) async throws -> Bool {
        guard let password = Password(entered: entered) else { return false }
        return try await isRight(password, of: holder)
    }

    private func check(
        _ password: Password, of holder: PasswordHolder?
    ) async throws -> PasswordHashPool.Verdict {
        guard let holder, let sealedHash = holder.sealedHash else {
            return try await passwords.verifyAgainstNothing(password: password.bytes)
        }
        let stored = try StoredPassword(
            text: reader.vault(holder.row).open(sealedHash, .passwordHash))
        var project: FirebaseProject?
        if let id = stored.firebaseProject {
            project = try await FirebaseProjects(store: store, keys: keys).project(id)
        }
        return try await passwords.check(
            password: password.bytes, against: stored, of: project)
    }

    /// A stronger sealed hash of the holder's password, if the stored one is weaker than the
    /// current parameters (I-03); otherwise nil. `password` must have been checked before: where the
    /// queue of hashes is full, or the caller has gone, the sign-in is recorded all the same, and
    /// the next one upgrades the hash.
    func upgrade(_ password: Password, of holder: PasswordHolder) async throws -> [UInt8]? {
        guard let sealedHash = holder.sealedHash else { return nil }
        let vault = try reader.vault(holder.row)
        let stored = try vault.open(sealedHash, .passwordHash)
        guard try passwords.needsUpgrade(stored) else { return nil }
        do {
            return try await hash(password, vault)
        } catch let error as ServiceError where error.notProcessed {
            return nil
        }
    }

    /// The hash of a password that an account is about to get.
    /// - Throws: `rpc/resource-exhausted` with a retry delay when the hash queue is full.
    func hash(_ password: Password) async throws -> String {
        try await passwords.hash(password: password.bytes)
    }

    /// The sealed hash of a password that an account is about to get.
    /// - Throws: `rpc/resource-exhausted` with a retry delay when the hash queue is full.
    func hash(_ password: Password, _ vault: AccountVault) async throws -> [UInt8] {
        try vault.seal(try await hash(password), .passwordHash)
    }
}

extension ServiceError {
    /// The error to return when the store fails after a password comparison. It is the same for
    /// right and wrong passwords. Attack: a store with a full queue reports "not processed", which
    /// refers only to its write. The gateway would conclude that no password was compared, and
    /// refund the guess. It names the store only if the store has failed: a guess may be void too.
    var afterComparison: ServiceError {
        ServiceError(
            .unavailable, retryAfter: retryAfter,
            unavailablePart: code == .unavailable ? unavailablePart : "store", detail: detail)
    }
}

/// Repeats `attempt` while the account changes during it. A hash takes long enough for a concurrent
/// sign-in to upgrade the account's hash, or for a reset to replace its password, so each flow
/// compares the account in its transaction with the one that it checked.
/// - Parameter attempt: Returns nil if the account changed.
/// - Throws: What `attempt` throws; `rpc/unavailable` if the account changed during every attempt.
func untilUnchanged<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
    for _ in 0..<3 {
        if let value = try await attempt() { return value }
    }
    throw ServiceError(.unavailable, detail: "the account changed during every attempt")
}

extension SQLSession {
    /// The account that owns an address, with its password hash.
    func passwordHolder(ofAddress lookUpKey: [UInt8]) throws -> PasswordHolder? {
        try owner(ofAddress: lookUpKey).flatMap(passwordHolder)
    }

    /// An account with its password hash.
    func passwordHolder(_ account: AccountID) throws -> PasswordHolder? {
        guard let row = try self.account(account) else { return nil }
        let hash = try queryOne(
            "SELECT hash FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.blob(0) }
        return PasswordHolder(row: row, sealedHash: hash)
    }

    /// When an account's password was set; nil without a password.
    func passwordSetAt(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT changed_at_ms FROM passwords WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Sets or replaces an account's password.
    func setPassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try put(
            """
            INSERT INTO passwords (account, hash, changed_at_ms) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                hash = excluded.hash, changed_at_ms = excluded.changed_at_ms, scheme = NULL
            """,
            [.integer(account.key), .blob(sealedHash), SQLValue(at)])
    }

    /// Replaces the hash with a stronger one of the same password.
    func upgradePassword(_ account: AccountID, sealedHash: [UInt8]) throws {
        try put(
            "UPDATE passwords SET hash = ?, scheme = NULL WHERE account = ?",
            [.blob(sealedHash), .integer(account.key)])
    }
}

/// An account with its password hash, if it has one.
struct PasswordHolder: Hashable, Sendable {
    let row: AccountRow
    /// Sealed with the account's key, so that a stolen database alone permits no offline guessing.
    let sealedHash: [UInt8]?
}
