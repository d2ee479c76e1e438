package import ServiceRuntime

/// A record of the audit trail about an account, without hashes.
package struct AccountRecord: Sendable {
    /// Its place in the trail.
    package let position: Int64
    /// When it happened.
    package let at: Timestamp
    /// Its kind, as in `AuditKind`.
    package let kind: String
    /// The session's key; nil for none.
    package let session: Int64?
    /// The error code of a refusal; nil for a success.
    package let outcome: String?
    /// A number whose meaning depends on the kind; nil for none.
    package let attempt: Int64?
    /// The app that called; nil for none.
    package let app: String?
    /// Who acted, where that was not the owner; not for the owner's eyes. Nil for none.
    package let actor: String?
    /// The words of `AuditDetail`; nil for none.
    package let detail: String?
    /// The two letters of the country that the call came from; nil if it is unknown.
    package let country: String?
    /// The program that the person used; nil if it is unknown.
    package let agent: String?
}

extension AccountRecord {
    /// The columns that `init` reads.
    fileprivate static let columns =
        "number, at_ms, kind, session, outcome, attempt, app, actor, detail, country, agent"

    fileprivate init(_ row: SQLRow) throws {
        self.init(
            position: try row.integer("number"), at: try row.timestamp("at_ms"),
            kind: try row.text("kind"), session: try row.optionalInteger("session"),
            outcome: try row.optionalText("outcome"),
            attempt: try row.optionalInteger("attempt"), app: try row.optionalText("app"),
            actor: try row.optionalText("actor"), detail: try row.optionalText("detail"),
            country: try row.optionalText("country"), agent: try row.optionalText("agent"))
    }
}

/// Some records about an account, the newest first.
package struct AccountRecords: Sendable {
    /// The records.
    package let records: [AccountRecord]
    /// The position before which the older ones are; nil if there are none.
    package let olderBefore: Int64?
}

/// Records that one read looks at, to find those of some kinds: what else happens to an account can
/// be a million writes of documents by a backend.
private let recordsLookedAt = 1_000

extension SQLSession {
    /// The records about an account before a position, the newest first. Refreshes of sessions are
    /// left out: `audit_by_account` does not have them, and no refresh pays for it.
    /// - Parameters:
    ///   - account: its key.
    ///   - position: nil for the newest records.
    ///   - limit: how many at most. There can be fewer, or none, although there are older ones.
    /// - Throws: `SQLError`.
    package func records(
        of account: Int64, before position: Int64?, limit: Int, _ kinds: AuditKinds
    ) throws -> AccountRecords {
        // One more than the limit shows whether there are older ones.
        let rowsMax = kinds.areAll ? limit + 1 : max(limit + 1, recordsLookedAt)
        let rows = try query(
            """
            SELECT \(AccountRecord.columns) FROM audit
            WHERE account = ? AND account IS NOT NULL AND kind <> 'session.refreshed'
                AND number < ?
            ORDER BY number DESC LIMIT ?
            """,
            [.integer(account), .integer(position ?? .max), .integer(Int64(rowsMax))]
        ) { try AccountRecord($0) }
        var found: [AccountRecord] = []
        var last: Int64?
        var hasOlder = rows.count == rowsMax
        for record in rows {
            if kinds.contains(record.kind) {
                guard found.count < limit else {
                    hasOlder = true
                    break
                }
                found.append(record)
            }
            last = record.position
        }
        return AccountRecords(records: found, olderBefore: hasOlder ? last : nil)
    }
}

extension Store {
    /// Rows of the trail that one read looks at. Refreshes are part of a history, and are in no
    /// index: with them a refresh, which writes a record, would take 1.5 times as long in SQLite's
    /// part. To read a million rows takes 0.1 s.
    private static let rowsAtOnce: Int64 = 10_000

    /// Reads the records about an account, the oldest first.
    /// - Parameters:
    ///   - account: its key.
    ///   - subject: the keyed hash by which a service names it; nil if it has none.
    /// - Throws: as `read` and `number`, what `body` throws.
    package func readHistory(
        of account: Int64, subject: [UInt8]? = nil,
        _ body: (AccountRecord) async throws -> Void
    ) async throws {
        try await number(.audit)
        let last = try await read { session in
            try session.queryOne("SELECT coalesce(max(number), 0) FROM audit") {
                try $0.integer(0)
            } ?? 0
        }
        var after: Int64 = 0
        while after < last {
            try Task.checkCancellation()
            let (from, to) = (after, after + Self.rowsAtOnce)
            let records = try await read {
                try $0.history(of: account, subject: subject, after: from, upTo: to)
            }
            for record in records { try await body(record) }
            after = to
        }
    }
}

extension SQLSession {
    fileprivate func history(
        of account: Int64, subject: [UInt8]?, after: Int64, upTo last: Int64
    ) throws -> [AccountRecord] {
        try query(
            """
            SELECT \(AccountRecord.columns) FROM audit
            WHERE number > ? AND number <= ? AND (account = ? OR subject = ?) ORDER BY number
            """,
            [.integer(after), .integer(last), .integer(account), SQLValue(subject)]
        ) { try AccountRecord($0) }
    }
}
