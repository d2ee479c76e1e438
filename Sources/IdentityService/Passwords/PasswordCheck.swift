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
    /// Leaked passwords; nil if new ones are not looked up.
    let breached: BreachedPasswords?
    /// The operator's setting `password-sign-in`.
    let mode: IdentitySettings.WayMode
    let time: any Time

    /// Requires that passwords are switched on (G-36). An rpc that takes one calls it before it looks
    /// anything up, so that the refusal says nothing about an account. Whatever compares or
    /// sets a password asks again here: an rpc that forgets it can use none.
    /// - Throws: `auth/operation-not-allowed`.
    func requireOn(field: String = "password") throws(ServiceError) {
        guard mode == .on else { throw ServiceError(.operationNotAllowed, fields: [field]) }
    }

    /// Whether `password` is the holder's; false without a holder. A negative result is delayed
    /// until a check of the slowest stored hash would have ended (`ResponseTimeFloor`).
    /// - Throws: `rpc/resource-exhausted` with a retry delay when the hash queue is full;
    ///   `auth/operation-not-allowed`.
    func isRight(_ password: Password, of holder: PasswordHolder?) async throws -> Bool {
        try await verdict(password, of: holder).isRight
    }

    /// The same, and the uptime from which the minimum time of a negative result is counted.
    /// - Throws: as `isRight`.
    func verdict(
        _ password: Password, of holder: PasswordHolder?
    ) async throws -> (isRight: Bool, begun: Duration) {
        try requireOn()
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

    /// A new password for an account, which the policy allows and which has not leaked. Every flow
    /// that sets a password calls this, or where the look-up has to come before something else,
    /// `Password.allowed` and `BreachedPasswords.refuse`.
    /// - Parameters: as for `Password.allowed`.
    /// - Throws: `auth/weak-password` with the violated rules (I-02); `CancellationError`.
    func new(
        _ entered: SecretBytes, by policy: PasswordPolicy, _ context: PasswordContext,
        field: String = "password"
    ) async throws -> Password {
        try requireOn(field: field)
        let password = try Password.allowed(entered, by: policy, context, field: field)
        try await breached?.refuse(ifLeaked: password, field: field)
        return password
    }

    /// The hash of a password that an account is about to get.
    /// - Throws: `rpc/resource-exhausted` with a retry delay when the hash queue is full.
    func hash(_ password: Password) async throws -> String {
        try requireOn()
        return try await passwords.hash(password: password.bytes)
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

/// Whether a password counts: the one rule of all that ask for an account's password. One that does
/// not is as none, to sign-ins, proofs, changes, lists of methods and exports.
///
///     `disowned_at_ms`     counts
///     none                 yes
///     before its change    yes
///     otherwise            no
///
/// The row stays, so that the time of a wrong password at an imported hash stays what it was
/// (`ResponseTimeFloor`). A program of the release before does not clear the column when it sets
/// another password, so the times are compared.
extension IdentityTables {
    /// The condition on a row of `passwords`.
    package static let passwordCounts = """
        (passwords.disowned_at_ms IS NULL OR passwords.disowned_at_ms < passwords.changed_at_ms)
        """
}

extension SQLSession {
    /// The account that owns an address, with its password hash.
    func passwordHolder(ofAddress lookUpKey: [UInt8]) throws -> PasswordHolder? {
        try owner(ofAddress: lookUpKey).flatMap(passwordHolder)
    }

    /// An account with its password hash, if it has a password that counts.
    func passwordHolder(_ account: AccountID) throws -> PasswordHolder? {
        guard let row = try self.account(account) else { return nil }
        let hash = try queryOne(
            "SELECT hash FROM passwords WHERE account = ? AND \(IdentityTables.passwordCounts)",
            [.integer(account.key)]
        ) { try $0.blob(0) }
        return PasswordHolder(row: row, sealedHash: hash)
    }

    /// When an account's password was set; nil without one that counts.
    func passwordSetAt(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            """
            SELECT changed_at_ms FROM passwords
            WHERE account = ? AND \(IdentityTables.passwordCounts)
            """, [.integer(account.key)]
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
                hash = excluded.hash, changed_at_ms = excluded.changed_at_ms, scheme = NULL,
                disowned_at_ms = NULL
            """,
            [.integer(account.key), .blob(sealedHash), SQLValue(at)])
    }

    /// An account's password counts no more until another one is set.
    /// - Returns: false for an account that never had one. One that is disowned already counts as
    ///   had.
    func disownPassword(of account: AccountID) throws -> Bool {
        try execute(
            "UPDATE passwords SET disowned_at_ms = ? WHERE account = ?",
            [SQLValue(at), .integer(account.key)]) > 0
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
    /// Nil without a password that counts (`IdentityTables.passwordCounts`).
    let sealedHash: [UInt8]?
}
