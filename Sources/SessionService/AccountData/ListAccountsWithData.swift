import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Returns the accounts with sessions, those that were seen, and those with claims, a page at a
    /// time.
    func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        let after = try request.after()
        let limit = AccountDataV1.ListAccountsWithDataResponse.accountsMax
        let (sessions, seen, claims) = try await store.read {
            (
                try $0.accountsWithSessions(after: after, limit: limit),
                try $0.accountsSeen(after: after, limit: limit),
                try $0.accountsWithClaims(after: after, limit: limit)
            )
        }
        return AccountDataV1.ListAccountsWithDataResponse([
            (.session, sessions), (.lastSeen, seen), (.claims, claims),
        ])
    }
}

extension SQLSession {
    /// The next accounts with sessions, by key. Open and ended sessions have an index each.
    fileprivate func accountsWithSessions(after key: Int64, limit: Int) throws -> [AccountID] {
        try query(
            """
            SELECT account FROM (
                SELECT account FROM (
                    SELECT DISTINCT account FROM session
                    WHERE ended_at_ms IS NULL AND account > ?1 ORDER BY account LIMIT ?2) AS open
                UNION
                SELECT account FROM (
                    SELECT DISTINCT account FROM session
                    WHERE ended_at_ms IS NOT NULL AND account > ?1
                    ORDER BY account LIMIT ?2) AS ended) AS found
            ORDER BY account LIMIT ?2
            """,
            [.integer(key), .integer(Int64(limit))]
        ) { try $0.identifier(0) }
    }

    /// The next accounts with claims, by key; also those that have none any more.
    fileprivate func accountsWithClaims(after key: Int64, limit: Int) throws -> [AccountID] {
        try query(
            "SELECT account FROM account_claims WHERE account > ? ORDER BY account LIMIT ?",
            [.integer(key), .integer(Int64(limit))]
        ) { try $0.identifier(0) }
    }

    /// The next accounts that were seen, by key.
    fileprivate func accountsSeen(after key: Int64, limit: Int) throws -> [AccountID] {
        try query(
            "SELECT account FROM account_seen WHERE account > ? ORDER BY account LIMIT ?",
            [.integer(key), .integer(Int64(limit))]
        ) { try $0.identifier(0) }
    }
}
