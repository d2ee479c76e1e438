import Storage

/// Counts of rows whose counterpart is missing (I-04).
struct OrphanCount: Hashable, Sendable {
    /// Accounts without a profile.
    let accountsWithoutProfile: Int64
    /// Profiles without an account.
    let profilesWithoutAccount: Int64
    /// Identities without an account.
    var identitiesWithoutAccount: Int64 = 0
    /// Full accounts with neither an address nor an identity: sign-in and recovery are impossible.
    var accountsWithoutWayIn: Int64 = 0

    /// The sum of all counts.
    var sum: Int64 {
        accountsWithoutProfile + profilesWithoutAccount + identitiesWithoutAccount
            + accountsWithoutWayIn
    }
}

extension SQLSession {
    /// Counts the orphans. All counts should be 0, because each flow writes both rows or none.
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
