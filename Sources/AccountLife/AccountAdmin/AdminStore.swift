package import IdentityService
import ServiceRuntime
import Storage

extension AccountFilter {
    /// A page of accounts.
    struct Page: Sendable {
        let rows: [(AccountRow, Suspension?)]
        /// The last account of this page, at which the next page continues; nil on the last page.
        let next: AccountID?
    }
}

/// The number of rows that are scanned for one page. If few of millions of accounts match, a page
/// is short and the next request continues the scan. So no admin query occupies a reader for long.
private let accountsLookedAt: Int64 = 10_000

extension SQLSession {
    /// The next accounts that match the filter, by key.
    func accounts(_ wanted: AccountFilter, limit: Int64) throws -> AccountFilter.Page {
        let after = SQLValue.integer(wanted.after?.key ?? 0)
        let keys = try query(
            """
            SELECT account FROM (
                SELECT account, status, created_at_ms, last_sign_in_at_ms
                FROM accounts WHERE account > ?1 ORDER BY account LIMIT ?2) AS scanned
            WHERE (CAST(?3 AS BIGINT) IS NULL OR status = ?3)
              AND (CAST(?4 AS BIGINT) IS NULL OR created_at_ms >= ?4)
              AND (CAST(?5 AS BIGINT) IS NULL OR created_at_ms < ?5)
              AND (CAST(?6 AS BIGINT) IS NULL OR last_sign_in_at_ms >= ?6)
              AND (CAST(?7 AS BIGINT) IS NULL OR coalesce(last_sign_in_at_ms, 0) < ?7)
            ORDER BY account LIMIT ?8
            """,
            [
                after, .integer(accountsLookedAt), SQLValue(wanted.status?.rawValue),
                SQLValue(wanted.createdFrom), SQLValue(wanted.createdBefore),
                SQLValue(wanted.signedInFrom), SQLValue(wanted.signedInBefore), .integer(limit),
            ]
        ) { try AccountID(stored: $0.integer(0)) }
        let rows = try keys.compactMap { key in
            // An account without a profile is an orphan; `OrphanCheck` reports it.
            try account(key).map { ($0, try suspension(key)) }
        }
        let isFull = keys.count == limit
        return AccountFilter.Page(
            rows: rows, next: try isFull ? keys.last : endOfWindow(after: after))
    }

    /// The last account that was scanned; nil if the scan reached the end.
    private func endOfWindow(after: SQLValue) throws -> AccountID? {
        try queryOne(
            """
            SELECT account FROM accounts WHERE account > ? ORDER BY account LIMIT 1 OFFSET ?
            """,
            [after, .integer(accountsLookedAt - 1)]
        ) { try AccountID(stored: $0.integer(0)) }
    }
}

/// The reason and time of each suspension. The reason is sealed under the account's key, because an
/// operator may write personal data into it. An account that was imported as suspended has no row.
extension IdentityTables {
    /// The table `suspensions`.
    package static let suspensions = """
        CREATE TABLE suspensions (
            account INTEGER PRIMARY KEY REFERENCES accounts,
            reason BLOB NOT NULL,
            since_ms INTEGER NOT NULL
        ) STRICT;
        """
}

/// A row of `suspensions`.
struct Suspension: Hashable, Sendable {
    let sealedReason: [UInt8]
    let since: Timestamp
}

extension SQLSession {
    /// An account's suspension; nil if there is none.
    func suspension(_ account: AccountID) throws -> Suspension? {
        try queryOne(
            "SELECT reason, since_ms FROM suspensions WHERE account = ?", [.integer(account.key)]
        ) { Suspension(sealedReason: try $0.blob(0), since: try $0.timestamp(1)) }
    }
}

extension Transaction {
    /// Records why an account is suspended, as of now.
    func recordSuspension(of account: AccountID, sealedReason: [UInt8]) throws {
        try put(
            "INSERT INTO suspensions (account, reason, since_ms) VALUES (?, ?, ?)",
            [.integer(account.key), .blob(sealedReason), SQLValue(at)])
    }

    /// Deletes an account's suspension.
    func removeSuspension(of account: AccountID) throws {
        try put("DELETE FROM suspensions WHERE account = ?", [.integer(account.key)])
    }
}
