package import IdentityService
import Messages
package import ServiceRuntime
package import Storage

/// A row of `exports`.
struct StoredExport: Hashable, Sendable {
    let id: ExportID
    let account: AccountID
    let state: ExportState
    let requestedAt: Timestamp
    /// The voice of the archive's index page: `Voice.tag`.
    let voice: String
    /// How often its preparation was begun.
    let attempts: Int64

    /// The export as its owner sees it.
    var message: GatewayV1.DataExport {
        var message = GatewayV1.DataExport(
            exportId: id.text, state: .preparing, requestedAtMs: requestedAt.milliseconds)
        if case .ready(let archive) = state {
            message.state = .ready
            message.expiresAtMs = archive.expiresAt.milliseconds
            message.bytes = archive.bytes
        }
        return message
    }
}

extension StoredExport {
    private static let preparing: Int64 = 1
    private static let ready: Int64 = 2

    fileprivate static let columns = """
        export, account, state, requested_at_ms, voice, attempts, next_attempt_at_ms, blob, bytes,
        expires_at_ms
        """

    fileprivate init(_ row: SQLRow) throws {
        guard let id = ExportID(key: try row.integer("export")) else {
            throw SQLError(.unexpectedValue, detail: "exports.export")
        }
        self.id = id
        account = try AccountID(stored: row.integer("account"))
        requestedAt = try row.timestamp("requested_at_ms")
        voice = try row.text("voice")
        attempts = try row.integer("attempts")
        if try row.integer("state") == Self.preparing {
            state = .preparing(nextAttemptAt: try row.timestamp("next_attempt_at_ms"))
        } else {
            guard let blob = BlobName(try row.text("blob")) else {
                throw SQLError(.unexpectedValue, detail: "exports.blob")
            }
            state = .ready(
                ExportArchive(
                    blob: blob, bytes: try row.integer("bytes"),
                    expiresAt: try row.timestamp("expires_at_ms")))
        }
    }

    /// The values of `state` and the columns that depend on it.
    fileprivate var stateValues: [SQLValue] {
        switch state {
        case .preparing(let next):
            [
                .integer(Self.preparing), SQLValue(next), .null, .integer(0),
                SQLValue(requestedAt + ExportState.life),
            ]
        case .ready(let archive):
            [
                .integer(Self.ready), .null, .text(archive.blob.text), .integer(archive.bytes),
                SQLValue(archive.expiresAt),
            ]
        }
    }
}

extension SQLSession {
    /// The export of an account, unless it has expired at `moment`.
    func export(of account: AccountID, at moment: Timestamp) throws -> StoredExport? {
        try queryOne(
            """
            SELECT \(StoredExport.columns) FROM exports
            WHERE account = ? AND expires_at_ms > ?
            """,
            [.integer(account.key), SQLValue(moment)]
        ) { try StoredExport($0) }
    }

    /// Whether an account has an export, prepared or ready, at `moment`. A requested deletion then
    /// waits, so that its owner can fetch the archive.
    /// - Throws: `SQLError`.
    package func hasExport(of account: AccountID, at moment: Timestamp) throws -> Bool {
        try export(of: account, at: moment) != nil
    }

    /// The archive of an account's export, also of one that has expired; nil without one.
    /// - Throws: `SQLError`.
    package func exportFile(of account: AccountID) throws -> BlobName? {
        let text = try queryOne(
            "SELECT blob FROM exports WHERE account = ?", [.integer(account.key)]
        ) { try $0.optionalText(0) }
        return text.flatMap(\.self).flatMap { BlobName($0) }
    }

    /// The exports whose next attempt is due, those with the fewest attempts first.
    ///
    /// Attack: strangers order exports that take long and fail. Each of them comes before the
    /// others once.
    func exportsDue(at moment: Timestamp, limit: Int64) throws -> [StoredExport] {
        try query(
            """
            SELECT \(StoredExport.columns) FROM exports
            WHERE next_attempt_at_ms <= ?1 AND expires_at_ms > ?1
            ORDER BY attempts, next_attempt_at_ms, export LIMIT ?2
            """,
            [SQLValue(moment), .integer(limit)]
        ) { try StoredExport($0) }
    }
}

extension Transaction {
    /// Inserts an export that is being prepared. An expired one of the account is replaced.
    func insert(_ export: StoredExport) throws {
        try put("DELETE FROM exports WHERE account = ?", [.integer(export.account.key)])
        try put(
            """
            INSERT INTO exports
                (export, account, requested_at_ms, voice, attempts, state, next_attempt_at_ms,
                 blob, bytes, expires_at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(export.id.key), .integer(export.account.key),
                SQLValue(export.requestedAt), .text(export.voice), .integer(export.attempts),
            ] + export.stateValues)
    }

    /// Writes the state and the attempts of an export.
    func update(_ export: StoredExport) throws {
        try put(
            """
            UPDATE exports SET attempts = ?, state = ?, next_attempt_at_ms = ?,
                blob = ?, bytes = ?, expires_at_ms = ?
            WHERE export = ?
            """,
            [.integer(export.attempts)] + export.stateValues + [.integer(export.id.key)])
    }

    /// Records that a session of the account fetches its export.
    /// - Returns: whether it is the first time that this session does.
    func recordFetch(of account: AccountID, by session: String) throws -> Bool {
        let key: [SQLValue] = [.integer(account.key)]
        let text = try queryOne("SELECT fetched_by FROM exports WHERE account = ?", key) {
            try $0.optionalText(0)
        }
        let known = (text.flatMap(\.self) ?? "").split(separator: " ").map(String.init)
        guard !known.contains(session) else { return false }
        let latest = (known + [session]).suffix(ExportArchive.fetchersMax)
        try put(
            "UPDATE exports SET fetched_by = ? WHERE account = ?",
            [.text(latest.joined(separator: " "))] + key)
        return true
    }

    /// Deletes the export of an account, in any state, and the links to it.
    /// - Returns: the archive's blob, to be removed after the commit; nil without one. The sweep
    ///   removes a blob that stays.
    /// - Throws: `SQLError`.
    @discardableResult
    package func deleteExport(of account: AccountID) throws -> BlobName? {
        let blob = try exportFile(of: account)
        try put("DELETE FROM exports WHERE account = ?", [.integer(account.key)])
        try removeLinks(.export, of: account)
        try removeLinks(.sessionExport, of: account)
        return blob
    }
}

/// Exports of accounts' data, one an account at most (G-21). The archive is in a blob, in parts
/// that are sealed under the account's key.
///
/// An expired row is purged, and `BlobSweep` removes the file that then has no row.
extension IdentityTables {
    /// `next_attempt_at_ms` is null for an export that is ready; `blob` is null for one that is
    /// being prepared. `fetched_by` has the sessions that fetched it, the latest last, with a space
    /// between them; null for none. The mailed link is in `links`.
    package static let exports = """
        CREATE TABLE exports (
            export INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts,
            state INTEGER NOT NULL,
            requested_at_ms INTEGER NOT NULL,
            voice TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            next_attempt_at_ms INTEGER,
            blob TEXT,
            bytes INTEGER NOT NULL,
            expires_at_ms INTEGER NOT NULL,
            fetched_by TEXT
        ) STRICT;
        CREATE UNIQUE INDEX exports_by_account ON exports (account);
        CREATE UNIQUE INDEX exports_by_blob ON exports (blob);
        CREATE INDEX exports_by_expiry ON exports (expires_at_ms);
        CREATE INDEX exports_by_next_attempt ON exports (next_attempt_at_ms);
        """
}
