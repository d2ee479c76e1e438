import ServiceRuntime
import Storage

/// When an account's ended sessions were last used (I-01, G-09): ended sessions are deleted after a
/// while, and their rows are not indexed by account.
enum AccountSeenTables {
    static let sql = """
        CREATE TABLE account_seen (
            account INTEGER PRIMARY KEY,
            seen_at_ms INTEGER NOT NULL
        ) STRICT;
        """
}

extension SQLSession {
    /// When an ended session of the account was last used; nil when unknown.
    func accountSeen(_ account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT seen_at_ms FROM account_seen WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }
}

extension Transaction {
    /// Records that an account was seen at `moment`. An earlier moment than the stored one changes
    /// nothing.
    func noteSeen(_ account: AccountID, at moment: Timestamp) throws {
        try execute(
            """
            INSERT INTO account_seen (account, seen_at_ms) VALUES (?, ?)
            ON CONFLICT (account) DO UPDATE SET seen_at_ms = excluded.seen_at_ms
            WHERE excluded.seen_at_ms > seen_at_ms
            """,
            [.integer(account.key), SQLValue(moment)])
    }
}
