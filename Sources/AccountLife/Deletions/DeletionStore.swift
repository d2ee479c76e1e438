package import IdentityService
import ServiceRuntime
import Storage

/// A row of `deletions`.
struct StoredDeletion: Hashable, Sendable {
    let account: AccountID
    /// Waiting or deleting.
    var state: DeletionState
    var source: DeletionSource
    let requestedAt: Timestamp
    /// When it began, or begins.
    var dueAt: Timestamp
    /// Nil while it waits.
    var begunAt: Timestamp?
    /// When the worker looks at it next.
    var nextAttemptAt: Timestamp
    /// Failed tries of the step that is next.
    var attempts: Int64
    /// The key of the payload, sealed.
    let sealedKey: [UInt8]
    /// A `DeletionPayload`, sealed.
    var payload: [UInt8]
    /// Keyed hash of the link that cancels; nil before it is mailed.
    var keepLink: [UInt8]?
    /// The app's backend has deleted its part (`DeleteAccount`).
    var isBackendDone = false

    /// When it began; while it waits, when it was requested.
    var startedAt: Timestamp { begunAt ?? requestedAt }

    /// The step that is next; nil while it waits.
    var step: DeletionStep? {
        if case .deleting(let step) = state { step } else { nil }
    }
}

extension SQLSession {
    /// The deletion of an account; nil if none waits or is under way.
    func deletion(of account: AccountID) throws -> StoredDeletion? {
        try queryOne(
            "SELECT \(StoredDeletion.columns) FROM deletions WHERE account = ?",
            [.integer(account.key)], StoredDeletion.init)
    }

    /// The deletion that a mailed link cancels.
    func deletion(keepLink hash: [UInt8]) throws -> StoredDeletion? {
        try queryOne(
            "SELECT \(StoredDeletion.columns) FROM deletions WHERE keep_link = ?", [.blob(hash)],
            StoredDeletion.init)
    }

    /// Deletions that the worker looks at now, the earliest first.
    func dueDeletions(at moment: Timestamp, limit: Int) throws -> [AccountID] {
        try query(
            """
            SELECT account FROM deletions WHERE next_attempt_at_ms <= ?
            ORDER BY next_attempt_at_ms, account LIMIT ?
            """, [SQLValue(moment), .integer(Int64(limit))]
        ) { try AccountID(stored: $0.integer(0)) }
    }

    /// When the worker looks at the next deletion after `moment`; nil if there is none.
    func nextDeletion(after moment: Timestamp) throws -> Timestamp? {
        try queryOne(
            "SELECT min(next_attempt_at_ms) FROM deletions WHERE next_attempt_at_ms > ?",
            [SQLValue(moment)]
        ) { try $0.optionalTimestamp(0) } ?? nil
    }

    /// Deletions in the order of their requests.
    /// - Parameter last: The last one of the previous page; nil for the first page.
    func deletions(
        after last: (requestedAt: Timestamp, account: AccountID)?, limit: Int
    ) throws -> [StoredDeletion] {
        try query(
            """
            SELECT \(StoredDeletion.columns) FROM deletions
            WHERE requested_at_ms > ?1 OR (requested_at_ms = ?1 AND account > ?2)
            ORDER BY requested_at_ms, account LIMIT ?3
            """,
            [
                .integer(last?.requestedAt.milliseconds ?? -1), .integer(last?.account.key ?? 0),
                .integer(Int64(limit)),
            ], StoredDeletion.init)
    }
}

extension Transaction {
    /// Inserts a deletion.
    func insert(_ deletion: StoredDeletion) throws {
        try put(
            """
            INSERT INTO deletions (
                account, step, source, requested_at_ms, due_at_ms, begun_at_ms, next_attempt_at_ms,
                attempts, sealed_key, payload, keep_link, is_backend_done)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(deletion.account.key), .integer(deletion.step?.rawValue ?? 0),
                .text(deletion.source.rawValue), SQLValue(deletion.requestedAt),
                SQLValue(deletion.dueAt), deletion.begunAt.map { SQLValue($0) } ?? .null,
                SQLValue(deletion.nextAttemptAt), .integer(deletion.attempts),
                .blob(deletion.sealedKey), .blob(deletion.payload), SQLValue(deletion.keepLink),
                .integer(deletion.isBackendDone ? 1 : 0),
            ])
    }

    /// Writes what may change of a deletion.
    func update(_ deletion: StoredDeletion) throws {
        try put(
            """
            UPDATE deletions SET step = ?, source = ?, due_at_ms = ?, begun_at_ms = ?,
                next_attempt_at_ms = ?, attempts = ?, payload = ?, keep_link = ?, is_backend_done = ?
            WHERE account = ?
            """,
            [
                .integer(deletion.step?.rawValue ?? 0), .text(deletion.source.rawValue),
                SQLValue(deletion.dueAt), deletion.begunAt.map { SQLValue($0) } ?? .null,
                SQLValue(deletion.nextAttemptAt), .integer(deletion.attempts),
                .blob(deletion.payload), SQLValue(deletion.keepLink),
                .integer(deletion.isBackendDone ? 1 : 0), .integer(deletion.account.key),
            ])
    }

    /// Voids the mailed link that cancels the deletion, if one waits; the worker mails another.
    func renewKeepLink(of account: AccountID) throws {
        try put(
            """
            UPDATE deletions SET keep_link = NULL, next_attempt_at_ms = ?
            WHERE account = ? AND step = 0
            """, [SQLValue(at), .integer(account.key)])
    }

    /// Notes that a step is done. A step that another call has finished stays finished.
    /// - Parameter change: what the step changes in this store, and of the row.
    func finish(
        _ step: DeletionStep, of account: AccountID,
        _ change: (Transaction, inout StoredDeletion) throws -> Void = { _, _ in }
    ) throws {
        guard var deletion = try deletion(of: account), deletion.step == step else { return }
        try change(self, &deletion)
        deletion.state = DeletionRule.state(deletion.state, after: .stepDone, at: at)
        deletion.attempts = 0
        deletion.nextAttemptAt = at
        guard deletion.state != .none else { return try removeDeletion(of: account) }
        try update(deletion)
    }

    /// Deletes the row of a deletion.
    func removeDeletion(of account: AccountID) throws {
        try put("DELETE FROM deletions WHERE account = ?", [.integer(account.key)])
    }
}

extension StoredDeletion {
    /// The columns that `init` reads.
    fileprivate static let columns = """
        account, step, source, requested_at_ms, due_at_ms, begun_at_ms, next_attempt_at_ms,
        attempts, sealed_key, payload, keep_link, is_backend_done
        """

    fileprivate init(_ row: SQLRow) throws {
        account = try AccountID(stored: row.integer("account"))
        dueAt = try row.timestamp("due_at_ms")
        let step = try row.integer("step")
        if step == 0 {
            state = .waiting(until: dueAt)
        } else {
            guard let known = DeletionStep(rawValue: step) else {
                throw SQLError(.unexpectedValue, detail: "deletions.step \(step)")
            }
            state = .deleting(known)
        }
        guard let source = DeletionSource(rawValue: try row.text("source")) else {
            throw SQLError(.unexpectedValue, detail: "an unknown deletions.source")
        }
        self.source = source
        requestedAt = try row.timestamp("requested_at_ms")
        begunAt = try row.optionalTimestamp("begun_at_ms")
        nextAttemptAt = try row.timestamp("next_attempt_at_ms")
        attempts = try row.integer("attempts")
        sealedKey = try row.blob("sealed_key")
        payload = try row.blob("payload")
        keepLink = try row.optionalBlob("keep_link")
        isBackendDone = try row.integer("is_backend_done") == 1
    }
}

/// Deletions that wait or are under way (G-19, G-20).
///
/// A row outlives its account, so it refers to none. What the later steps need to know of a person
/// is in `payload`, sealed under a key of this row: with the row goes the key, and what backups
/// have of the payload is unreadable then. `keep_link` is the keyed hash of the mailed link that
/// cancels.
extension IdentityTables {
    /// The table `deletions`.
    package static let deletions = """
        CREATE TABLE deletions (
            account INTEGER PRIMARY KEY,
            step INTEGER NOT NULL,
            source TEXT NOT NULL,
            requested_at_ms INTEGER NOT NULL,
            due_at_ms INTEGER NOT NULL,
            begun_at_ms INTEGER,
            next_attempt_at_ms INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            sealed_key BLOB NOT NULL,
            payload BLOB NOT NULL,
            keep_link BLOB,
            is_backend_done INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX deletions_by_attempt ON deletions (next_attempt_at_ms);
        CREATE INDEX deletions_by_request ON deletions (requested_at_ms, account);
        CREATE UNIQUE INDEX deletions_by_keep_link ON deletions (keep_link);
        """
}
