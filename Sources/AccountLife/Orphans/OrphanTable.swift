import IdentityService
import ServiceRuntime
import Storage

/// A table of identity's store whose rows belong to accounts, for the check of orphans. To add such
/// a table, add it here.
///
/// Most of them refer to `accounts`, so only a damaged file, a change by hand or a fault of the
/// engine can leave an orphan there. `notices` and `phone_codes` do not refer.
struct OrphanTable: Sendable {
    let kind: OrphanKind
    /// Statement of the accounts of the next rows.
    private let page: String
    /// Whether the statement has a third parameter, the latest change of a row that is an orphan.
    private let isByAge: Bool

    private init(_ kind: OrphanKind, in table: String) {
        self.kind = kind
        isByAge = false
        // Some rows and no further, whatever an account has of them. The rest of the last account's
        // rows is left out: one row names it as well as all.
        page = """
            SELECT account,
                EXISTS (SELECT 1 FROM accounts WHERE accounts.account = page.account) AS is_owned
            FROM (
                SELECT account FROM \(table) WHERE account > ? ORDER BY account LIMIT ?) AS page
            ORDER BY account
            """
    }

    /// Deletions that are not over, of accounts that do not exist. After the step `rows` (8) it is
    /// right that the account is gone.
    private init(deletionsAs kind: OrphanKind) {
        self.kind = kind
        isByAge = false
        page = """
            SELECT account,
                EXISTS (SELECT 1 FROM accounts WHERE accounts.account = page.account)
                    OR step > 8 AS is_owned
            FROM (
                SELECT account, step FROM deletions
                WHERE account > ? ORDER BY account LIMIT ?) AS page
            ORDER BY account
            """
    }

    /// Migrations of guests' data that are waiting (1) or running (2) and have not gone on for long.
    /// The job takes seconds, so one of these has stopped half-way, unless it waits: the job leaves
    /// those of suspended accounts and guests as they are (`MigrationStep`), and those of accounts
    /// that are being deleted go with them. The rows are few, and each is looked at: an account may
    /// have several.
    private init(migrationsAs kind: OrphanKind) {
        self.kind = kind
        isByAge = true
        page = """
            SELECT DISTINCT account, 0 AS is_owned FROM guest_migrations
            WHERE account > ?1 AND state IN (1, 2) AND changed_at_ms <= ?3 AND NOT EXISTS (
                SELECT 1 FROM accounts
                WHERE accounts.account IN (guest_migrations.account, guest_migrations.guest)
                    AND accounts.status IN (?4, ?5))
            ORDER BY account LIMIT ?2
            """
    }

    /// All of them.
    static let all = [
        OrphanTable(.profile, in: "profiles"), OrphanTable(.identity, in: "identities"),
        OrphanTable(.document, in: "documents"), OrphanTable(.document, in: "document_totals"),
        OrphanTable(.photo, in: "photos"), OrphanTable(.row, in: "account_keys"),
        OrphanTable(.row, in: "email_addresses"), OrphanTable(.row, in: "passwords"),
        OrphanTable(.row, in: "claims"), OrphanTable(.row, in: "email_changes"),
        OrphanTable(.row, in: "links"), OrphanTable(.row, in: "phone_codes"),
        OrphanTable(.row, in: "sign_in_challenges"),
        OrphanTable(.row, in: "notices"), OrphanTable(.row, in: "known_devices"),
        OrphanTable(.row, in: "sign_in_memory"), OrphanTable(.row, in: "suspensions"),
        OrphanTable(.row, in: "consents"), OrphanTable(.row, in: "parental_consents"),
        OrphanTable(.row, in: "removed_identities"), OrphanTable(.row, in: "imported_accounts"),
        OrphanTable(.row, in: "second_factors"), OrphanTable(.row, in: "recovery_codes"),
        OrphanTable(.row, in: "passkeys"),
        OrphanTable(.row, in: "custom_claims"), OrphanTable(.job, in: "exports"),
        OrphanTable(.job, in: "guest_migrations"),
        OrphanTable(.document, in: "guest_migration_documents"),
        OrphanTable(deletionsAs: .job), OrphanTable(migrationsAs: .migration),
    ]

    /// The accounts of the next rows, in the order of their keys, and whether each exists.
    /// - Parameter latest: The latest change of a job that has stopped.
    func owners(
        after key: Int64, rows: Int64, stoppedBy latest: Timestamp, in session: any SQLSession
    ) throws -> [(account: Int64, isOwned: Bool)] {
        let values: [SQLValue] = [.integer(key), .integer(rows)]
        let waiting = [AccountStatus.suspended, .deleting].map { SQLValue.integer($0.rawValue) }
        return try session.query(page, isByAge ? values + [SQLValue(latest)] + waiting : values) {
            (try $0.integer("account"), try $0.boolean("is_owned"))
        }
    }
}
