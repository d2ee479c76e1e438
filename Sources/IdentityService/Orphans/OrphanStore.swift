import Storage

/// Rows that stand without their other half (I-04).
struct OrphanCount: Hashable, Sendable {
    /// Accounts that no profile belongs to.
    let accountsWithoutProfile: Int64
    /// Profiles that belong to no account.
    let profilesWithoutAccount: Int64
    /// Identities that belong to no account.
    var identitiesWithoutAccount: Int64 = 0
    /// Accounts that are no guests, and that nobody can sign in to or recover: without an address
    /// and without an identity.
    var accountsWithoutWayIn: Int64 = 0

    /// All of them.
    var sum: Int64 {
        accountsWithoutProfile + profilesWithoutAccount + identitiesWithoutAccount
            + accountsWithoutWayIn
    }
}

extension SQLSession {
    /// Counts them; all should be 0, since each flow writes both halves or none.
    func orphanCount() throws -> OrphanCount {
        OrphanCount(
            accountsWithoutProfile: try count(
                """
                SELECT count(*) FROM accounts
                WHERE NOT EXISTS (
                    SELECT 1 FROM profiles WHERE profiles.account = accounts.account)
                """),
            profilesWithoutAccount: try count(
                """
                SELECT count(*) FROM profiles
                WHERE NOT EXISTS (
                    SELECT 1 FROM accounts WHERE accounts.account = profiles.account)
                """),
            identitiesWithoutAccount: try count(
                """
                SELECT count(*) FROM identities
                WHERE NOT EXISTS (
                    SELECT 1 FROM accounts WHERE accounts.account = identities.account)
                """),
            accountsWithoutWayIn: try count(
                """
                SELECT count(*) FROM accounts
                WHERE is_guest = 0
                  AND NOT EXISTS (
                    SELECT 1 FROM email_addresses
                    WHERE email_addresses.account = accounts.account)
                  AND NOT EXISTS (
                    SELECT 1 FROM identities WHERE identities.account = accounts.account)
                """))
    }

    private func count(_ sql: String) throws -> Int64 {
        try queryOne(sql) { try $0.integer(0) } ?? 0
    }
}
