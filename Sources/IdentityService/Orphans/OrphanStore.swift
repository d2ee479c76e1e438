import Storage

/// Rows that stand without their other half (I-04).
struct OrphanCount: Hashable, Sendable {
    /// Accounts that no profile belongs to.
    let accountsWithoutProfile: Int64
    /// Profiles that belong to no account.
    let profilesWithoutAccount: Int64
}

extension SQLSession {
    /// Counts them; both should be 0, since registration writes both rows or none.
    func orphanCount() throws -> OrphanCount {
        let accounts = try queryOne(
            """
            SELECT count(*) FROM accounts
            WHERE NOT EXISTS (SELECT 1 FROM profiles WHERE profiles.account = accounts.account)
            """
        ) { try $0.integer(0) }
        let profiles = try queryOne(
            """
            SELECT count(*) FROM profiles
            WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account = profiles.account)
            """
        ) { try $0.integer(0) }
        return OrphanCount(
            accountsWithoutProfile: accounts ?? 0, profilesWithoutAccount: profiles ?? 0)
    }
}
