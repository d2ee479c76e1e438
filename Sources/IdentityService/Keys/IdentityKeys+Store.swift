import ServiceRuntime
package import Storage

extension IdentityKeys {
    /// For each of the oldest accounts, whether these keys decrypt its key (`Store.requireKey`).
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        try session.query(
            """
            SELECT accounts.account, account_keys.sealed_key
            FROM accounts JOIN account_keys ON account_keys.account = accounts.account
            ORDER BY accounts.created_at_ms, accounts.account LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            AccountVault.opens(
                try row.blob(1), of: try AccountID(stored: row.integer(0)), under: accounts)
        }
    }
}
