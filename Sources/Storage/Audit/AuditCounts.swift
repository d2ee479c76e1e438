package import ServiceRuntime

/// Aggregated audit records for refusals that name no account: one record for each kind, detail,
/// outcome, network of the caller and minute, with the count in `attempt`. The record is
/// written when the minute is over (`Purges`).
///
/// Attack: an attacker sends invented addresses, numbers and code ids, thousands a second. One
/// record for each, kept for ever, would let a single network fill the disk.
///
/// The count is a row that the refused call's own transaction updates. It is as durable as a
/// record, and a refusal costs the same commit whether or not the account exists.
enum AuditCounts {
    /// The length of one aggregation window.
    static let interval: Duration = .seconds(60)

    /// The window (minutes since 1970) that a moment falls into.
    static func minute(of moment: Timestamp) -> Int64 {
        moment.milliseconds / interval.milliseconds
    }

    /// `site`, `detail` and `outcome` are empty where they are unknown.
    static let refusals = """
        CREATE TABLE refusal_count (
            number INTEGER PRIMARY KEY,
            minute INTEGER NOT NULL,
            site BLOB NOT NULL,
            kind TEXT NOT NULL,
            detail TEXT NOT NULL,
            outcome TEXT NOT NULL,
            refusals INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX refusal_count_key
        ON refusal_count (minute, site, kind, detail, outcome);
        """

    /// What the release before this one writes, beside this one or in an upgraded store. Its
    /// statements name this table's unique index, so the table stays as it is.
    static let table = """
        CREATE TABLE audit_count (
            number INTEGER PRIMARY KEY,
            minute INTEGER NOT NULL,
            site BLOB NOT NULL,
            kind TEXT NOT NULL,
            outcome TEXT NOT NULL,
            refusals INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX audit_count_key ON audit_count (minute, site, kind, outcome);
        """

    /// Writes the records of windows that are over, and deletes their counts.
    static let purge = Purge { session, now in
        try session.queryOne(
            """
            SELECT 1 FROM refusal_count WHERE minute < ?1
            UNION ALL SELECT 1 FROM audit_count WHERE minute < ?1 LIMIT 1
            """, [.integer(minute(of: now))]
        ) { _ in true } ?? false
    } remove: { transaction, rowsMax in
        try transaction.recordAuditCounts(limit: rowsMax)
    }
}

extension Transaction {
    /// Counts a refusal that names no account.
    /// - Parameter site: The keyed hash of the caller's network; nil where it is unknown.
    /// - Throws: `SQLError`.
    package func auditCounted(
        _ kind: AuditKind, _ detail: AuditDetail? = nil, outcome: ErrorCode?, site: [UInt8]?
    ) throws {
        precondition(detail.map(kind.allows) ?? true)
        try put(
            """
            INSERT INTO refusal_count (minute, site, kind, detail, outcome, refusals)
            VALUES (?, ?, ?, ?, ?, 1)
            ON CONFLICT (minute, site, kind, detail, outcome)
            DO UPDATE SET refusals = refusal_count.refusals + 1
            """,
            [
                .integer(AuditCounts.minute(of: at)), .blob(site ?? []), .text(kind.rawValue),
                .text(detail?.text ?? ""), .text(outcome?.rawValue ?? ""),
            ])
    }

    /// Writes the records of windows that are over. The count is that of the deleted row: on a
    /// server a refusal that began before the window's end may still add to it.
    /// - Returns: how many, at most `limit`.
    func recordAuditCounts(limit: Int) throws -> Int {
        let counts = try query(
            """
            DELETE FROM refusal_count WHERE number IN (
                SELECT number FROM refusal_count WHERE minute < ?1 ORDER BY minute LIMIT ?2)
            AND minute < ?1 RETURNING number, kind, site, detail, outcome, refusals
            """,
            [.integer(AuditCounts.minute(of: at)), .integer(Int64(limit))],
            AuditCounts.Count.init)
        let earlier = try query(
            """
            DELETE FROM audit_count WHERE number IN (
                SELECT number FROM audit_count WHERE minute < ?1 ORDER BY minute LIMIT ?2)
            AND minute < ?1 RETURNING number, kind, site, '' AS detail, outcome, refusals
            """,
            [.integer(AuditCounts.minute(of: at)), .integer(Int64(limit - counts.count))],
            AuditCounts.Count.init)
        // The rows of a deletion have no order.
        let ordered = [counts, earlier].flatMap { $0.sorted { $0.number < $1.number } }
        for count in ordered {
            try put(
                """
                INSERT INTO audit (at_ms, kind, client_address, outcome, attempt, detail)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(at), .text(count.kind),
                    SQLValue(count.site.isEmpty ? nil : count.site),
                    SQLValue(count.outcome.isEmpty ? nil : count.outcome),
                    .integer(count.refusals),
                    SQLValue(count.detail.isEmpty ? nil : count.detail),
                ])
        }
        return ordered.count
    }
}

extension AuditCounts {
    /// The row of a count.
    fileprivate struct Count {
        let number: Int64
        let kind: String
        let site: [UInt8]
        let detail: String
        let outcome: String
        let refusals: Int64

        init(_ row: SQLRow) throws {
            number = try row.integer("number")
            kind = try row.text("kind")
            site = try row.blob("site")
            detail = try row.text("detail")
            outcome = try row.text("outcome")
            refusals = try row.integer("refusals")
        }
    }
}
