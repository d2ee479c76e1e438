import Logging
import Metrics
import ServiceRuntime
import Storage

/// Checks at start and every hour that every account has a profile and a sign-in method, and that
/// every profile and identity has an account. Reports the counts as gauges; the alert fires on any
/// value above 0 (I-04, A-04).
struct OrphanCheck: Sendable {
    /// Only an import or an older version can produce orphans, so an hour is soon enough.
    static let interval: Duration = .seconds(3_600)

    private let store: Store
    private let logger: Logger
    private let accountsWithoutProfile: Gauge
    private let profilesWithoutAccount: Gauge
    private let identitiesWithoutAccount: Gauge
    private let accountsWithoutWayIn: Gauge

    init(store: Store, logger: Logger, metrics: any MetricsFactory) {
        self.store = store
        self.logger = logger
        func gauge(_ kind: String) -> Gauge {
            Gauge(label: "identity_orphans", dimensions: [("kind", kind)], factory: metrics)
        }
        accountsWithoutProfile = gauge("account-without-profile")
        profilesWithoutAccount = gauge("profile-without-account")
        identitiesWithoutAccount = gauge("identity-without-account")
        accountsWithoutWayIn = gauge("account-without-way-in")
    }

    /// Runs the check at each interval.
    var duty: Duty {
        Duty("orphans", every: Self.interval) {
            try await check()
            return false
        }
    }

    /// Runs the check once.
    func check() async throws {
        let count = try await store.read { try $0.orphanCount() }
        accountsWithoutProfile.record(count.accountsWithoutProfile)
        profilesWithoutAccount.record(count.profilesWithoutAccount)
        identitiesWithoutAccount.record(count.identitiesWithoutAccount)
        accountsWithoutWayIn.record(count.accountsWithoutWayIn)
        guard count.sum > 0 else { return }
        logger.error(
            "identity.orphans.found", "there are orphaned accounts",
            fields: [.count: .integer(count.sum)])
    }
}

extension OrphanCheck {
    /// Counts of rows whose counterpart is missing (I-04).
    struct Count: Hashable, Sendable {
        /// Accounts without a profile.
        let accountsWithoutProfile: Int64
        /// Profiles without an account.
        let profilesWithoutAccount: Int64
        /// Identities without an account.
        var identitiesWithoutAccount: Int64 = 0
        /// Full accounts with neither an address nor an identity: sign-in and recovery are
        /// impossible. Those that are being deleted have lost both.
        var accountsWithoutWayIn: Int64 = 0

        /// The sum of all counts.
        var sum: Int64 {
            accountsWithoutProfile + profilesWithoutAccount + identitiesWithoutAccount
                + accountsWithoutWayIn
        }
    }
}

extension SQLSession {
    /// Counts the orphans. All counts should be 0, because each flow writes both rows or none.
    func orphanCount() throws -> OrphanCheck.Count {
        OrphanCheck.Count(
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
                WHERE is_guest = 0 AND status <> \(AccountStatus.deleting.rawValue)
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
