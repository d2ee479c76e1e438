import ServiceRuntime
import Storage

/// How long an account's end is kept. It matters only while a proof made before it would still be
/// accepted, which is half a minute; a day allows for differing clocks.
private let accountEndKeptFor: Duration = .seconds(86_400)

extension Transaction {
    /// The moment before which proofs of `account` are refused; nil when there is none.
    func accountEnd(of account: AccountID) throws -> Timestamp? {
        try queryOne(
            "SELECT before_ms FROM account_end WHERE account = ?", [.integer(account.key)]
        ) { try $0.timestamp(0) }
    }

    /// From now on refuses proofs of `account` made before `moment`. An earlier moment than the
    /// stored one changes nothing.
    func noteAccountEnd(
        _ account: AccountID, before moment: Timestamp, _ reason: EndReason
    ) throws {
        try purge("account_end") { rowsMax in
            try execute(
                """
                DELETE FROM account_end WHERE account IN (
                    SELECT account FROM account_end WHERE before_ms < ? ORDER BY before_ms LIMIT ?)
                """,
                [SQLValue(at - accountEndKeptFor), .integer(rowsMax)])
        }
        try execute(
            """
            INSERT INTO account_end (account, before_ms, reason) VALUES (?, ?, ?)
            ON CONFLICT (account) DO UPDATE
            SET before_ms = excluded.before_ms, reason = excluded.reason
            WHERE excluded.before_ms > before_ms
            """,
            [.integer(account.key), SQLValue(moment), .integer(reason.rawValue)])
    }
}
