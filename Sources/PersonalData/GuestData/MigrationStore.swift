import IdentityService
package import ServiceRuntime
package import Storage

extension StoredMigration {
    /// The columns that `init` reads.
    fileprivate static let columns = """
        migration, account, guest, choice, state, documents, done, picks, kept_until_ms,
        created_at_ms, changed_at_ms
        """

    fileprivate init(_ row: SQLRow) throws {
        guard let migration = MigrationID(key: try row.integer("migration")),
            let state = MigrationState(rawValue: try row.integer("state"))
        else { throw SQLError(.unexpectedValue, detail: "guest_migrations has an unknown value") }
        self.migration = migration
        self.state = state
        account = try AccountID(stored: row.integer("account"))
        guest = try row.optionalInteger("guest").map { try AccountID(stored: $0) }
        choice = GuestDataChoice(rawValue: try row.integer("choice"))
        documents = try row.integer("documents")
        done = try row.integer("done")
        sealedPicks = try row.optionalBlob("picks")
        keptUntil = try row.optionalTimestamp("kept_until_ms")
        createdAt = try row.timestamp("created_at_ms")
        changedAt = try row.timestamp("changed_at_ms")
    }
}

extension SQLSession {
    /// A migration; nil if there is none, or none any more.
    func migration(_ migration: MigrationID) throws -> StoredMigration? {
        try queryOne(
            "SELECT \(StoredMigration.columns) FROM guest_migrations WHERE migration = ?",
            [.integer(migration.key)], StoredMigration.init)
    }

    /// What was chosen for a guest.
    func migration(ofGuest guest: AccountID) throws -> StoredMigration? {
        try queryOne(
            "SELECT \(StoredMigration.columns) FROM guest_migrations WHERE guest = ?",
            [.integer(guest.key)], StoredMigration.init)
    }

    /// The migrations of an account that callers see, the latest first.
    /// - Throws: `SQLError`.
    package func migrations(of account: AccountID, limit: Int64) throws -> [StoredMigration] {
        try query(
            """
            SELECT \(StoredMigration.columns) FROM guest_migrations
            WHERE account = ? AND state <> ? ORDER BY created_at_ms DESC, migration DESC LIMIT ?
            """,
            [
                .integer(account.key), .integer(MigrationState.receiving.rawValue),
                .integer(limit),
            ], StoredMigration.init)
    }

    /// The next migrations that the job has to go on with. Nothing is moved into an account that is
    /// being deleted; those into a suspended one wait until it is restored.
    func activeMigrations(after last: Int64, limit: Int64) throws -> [StoredMigration] {
        try query(
            """
            SELECT \(StoredMigration.columns) FROM guest_migrations
            WHERE state IN (?, ?) AND migration > ? AND NOT EXISTS (
                SELECT 1 FROM accounts
                WHERE accounts.account = guest_migrations.account
                    AND accounts.status IN (?, ?))
            ORDER BY migration LIMIT ?
            """,
            [
                .integer(MigrationState.waiting.rawValue),
                .integer(MigrationState.running.rawValue), .integer(last),
                .integer(AccountStatus.deleting.rawValue),
                .integer(AccountStatus.suspended.rawValue), .integer(limit),
            ], StoredMigration.init)
    }

    /// The next kept guests whose time is over.
    func endedKeeps(
        at moment: Timestamp, after last: Int64, limit: Int64
    ) throws -> [StoredMigration] {
        try query(
            """
            SELECT \(StoredMigration.columns) FROM guest_migrations
            WHERE kept_until_ms <= ? AND migration > ? ORDER BY migration LIMIT ?
            """, [SQLValue(moment), .integer(last), .integer(limit)], StoredMigration.init)
    }

    /// The guests whose documents were to be moved into an account, or kept. Without those that are
    /// being deleted already, and suspended ones, which are the operator's to delete.
    /// - Throws: `SQLError`.
    package func remainingGuests(of account: AccountID, limit: Int64) throws -> [AccountID] {
        try query(
            """
            SELECT guest_migrations.guest FROM guest_migrations
            JOIN accounts ON accounts.account = guest_migrations.guest
            WHERE guest_migrations.account = ? AND accounts.is_guest = 1
                AND accounts.status NOT IN (?, ?)
            ORDER BY guest_migrations.migration LIMIT ?
            """,
            [
                .integer(account.key), .integer(AccountStatus.deleting.rawValue),
                .integer(AccountStatus.suspended.rawValue), .integer(limit),
            ]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// Requires that nothing was chosen yet for a guest's documents: from then on they can only be
    /// read.
    /// - Throws: `auth/operation-not-allowed`.
    func requireNoChoice(_ guest: AccountID) throws {
        let isSettled = try queryOne(
            "SELECT 1 FROM guest_migrations WHERE guest = ?", [.integer(guest.key)]
        ) { _ in true }
        guard isSettled == nil else { throw ServiceError(.operationNotAllowed) }
    }

    /// The row of the account whose profile a call changes.
    /// - Throws: as `callersRow` and `requireNoChoice`.
    func changeableRow(_ account: AccountID) throws -> AccountRow {
        let row = try callersRow(account)
        if row.isGuest { try requireNoChoice(account) }
        return row
    }
}

extension Transaction {
    /// Inserts a migration.
    func insert(_ migration: StoredMigration, expiresAt: Timestamp?) throws {
        try put(
            """
            INSERT INTO guest_migrations (
                migration, account, guest, choice, state, documents, done, picks, kept_until_ms,
                created_at_ms, changed_at_ms, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(migration.migration.key), .integer(migration.account.key),
                SQLValue(migration.guest?.key), .integer(migration.choice?.rawValue ?? 0),
                .integer(migration.state.rawValue), .integer(migration.documents),
                .integer(migration.done), SQLValue(migration.sealedPicks),
                SQLValue(migration.keptUntil),
                SQLValue(migration.createdAt), SQLValue(migration.changedAt),
                SQLValue(expiresAt),
            ])
    }

    /// Changes a migration's state by an event (`MigrationRule`), and its numbers.
    /// - Parameters:
    ///   - documents: The number of documents to move; nil to keep it.
    ///   - done: How many more are done.
    /// - Returns: the new state.
    @discardableResult
    func apply(
        _ event: MigrationEvent?, to migration: StoredMigration, documents: Int64? = nil,
        done: Int = 0
    ) throws -> MigrationState {
        let state = event.map { MigrationRule.state(migration.state, after: $0) } ?? migration.state
        let expiresAt = state == .succeeded ? at + StoredMigration.keptAfter : nil
        try put(
            """
            UPDATE guest_migrations SET state = ?, documents = coalesce(?, documents),
                done = done + ?, changed_at_ms = ?, expires_at_ms = ?
            WHERE migration = ?
            """,
            [
                .integer(state.rawValue), SQLValue(documents), .integer(Int64(done)),
                SQLValue(at), SQLValue(expiresAt), .integer(migration.migration.key),
            ])
        return state
    }

    /// Ends a migration without the documents that could not be moved. They are deleted with the
    /// guest, which goes as a kept one whose time is over.
    func drop(_ migration: StoredMigration) throws {
        try removeItems(of: migration.migration)
        try apply(.dropped, to: migration)
        try put(
            """
            UPDATE guest_migrations SET kept_until_ms = ?, expires_at_ms = NULL
            WHERE migration = ? AND guest IS NOT NULL
            """, [SQLValue(at), .integer(migration.migration.key)])
    }

    /// Records that the deletion of a kept guest has begun.
    func endKeep(_ migration: StoredMigration) throws {
        try put(
            """
            UPDATE guest_migrations SET kept_until_ms = NULL, expires_at_ms = ?
            WHERE migration = ?
            """,
            [SQLValue(at + StoredMigration.keptAfter), .integer(migration.migration.key)])
    }

    /// Ends the migration of a guest that is being deleted. Its numbers tell what was not moved.
    /// - Returns: the migration; nil if there is none.
    /// - Throws: `SQLError`.
    @discardableResult
    package func endMigration(ofGuest guest: AccountID) throws -> StoredMigration? {
        guard let migration = try migration(ofGuest: guest) else { return nil }
        try lock(.account(migration.account))
        guard migration.state != .succeeded else { return migration }
        try removeItems(of: migration.migration)
        try apply(.released, to: migration)
        return migration
    }

    /// Releases a guest that became an account: it keeps what was not moved, and can write again.
    func releaseGuest(_ guest: AccountID) throws {
        guard let migration = try endMigration(ofGuest: guest) else { return }
        try put(
            """
            UPDATE guest_migrations SET guest = NULL, kept_until_ms = NULL,
                expires_at_ms = coalesce(expires_at_ms, ?)
            WHERE migration = ?
            """,
            [SQLValue(at + StoredMigration.keptAfter), .integer(migration.migration.key)])
    }
}
