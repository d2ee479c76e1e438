import IdentityService
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Checks at start and every hour that every account has a profile, a key and a way to sign in, and
/// that every row of an account has one (I-04). Gives an account without a profile an empty one, and
/// deletes nothing. The alert fires on any kind above 0.
///
/// Each step reads one page of one table, then sleeps for twice the time that the read took. So the
/// check uses at most a third of a core, and holds a reader thread only while it reads a page. A
/// concurrent write or deletion commits in one transaction with its account's row, so no page shows
/// it as an orphan.
final class OrphanCheck: Sendable {
    /// Only an import, a change by hand or an older version can produce orphans, so an hour is soon
    /// enough.
    static let interval: Duration = .seconds(3_600)
    /// Rows on one page. Of a thousand, refreshes noticed each page (Tests/Benchmarks/README.md).
    static let pageRows: Int64 = 300
    /// A migration without progress for a day is reported as stalled if two checks in a row find it.
    /// One check could find a migration that resumes within seconds, for example after a restart.
    static let migrationMax: Duration = .seconds(86_400)

    /// Where the check has come to.
    private struct State {
        /// 0 for `accounts`, then a place in `OrphanTable.all`, from 1.
        var table = 0
        /// The key of the last account on the page before.
        var after: Int64 = 0
        var found = OrphanFindings.Found()
        /// The accounts whose migrations have stopped, in this check and in the one before.
        var stopped: Set<AccountID> = []
        var stoppedBefore: Set<AccountID> = []
    }

    /// What it finds: the kinds at identity, without those of files.
    static let kinds = OrphanService.identity.kinds.filter { !BlobSweep.kinds.contains($0) }

    private let store: Store
    private let hasPasswords: Bool
    private let time: any Time
    private let logger: Logger
    private let findings: OrphanFindings
    private let repair: OrphanRepair
    private let state = Mutex(State())

    /// - Parameter hasPasswords: Whether an address is a way to sign in (`password-sign-in`).
    init(
        store: Store, hasPasswords: Bool, time: any Time, logger: Logger,
        findings: OrphanFindings, repair: OrphanRepair
    ) {
        self.store = store
        self.hasPasswords = hasPasswords
        self.time = time
        self.logger = logger
        self.findings = findings
        self.repair = repair
    }

    /// Runs the check at each interval.
    var duty: Duty { Duty("orphans", every: Self.interval, step: step) }

    /// Reads a page.
    /// - Returns: whether this check has more to read.
    /// - Throws: errors of the store; `CancellationError`.
    func step() async throws -> Bool {
        let began = time.uptime()
        let (table, after) = state.withLock { ($0.table, $0.after) }
        let (found, last) =
            table == 0
            ? try await incompleteAccounts(after: after)
            : try await ownerless(OrphanTable.all[table - 1], after: after)
        let isMore = goOn(found, last)
        try await Self.rest(time, after: began)
        return isMore
    }

    /// Rests after the page whose reading began at `began`.
    static func rest(_ time: any Time, after began: Duration) async throws {
        try await time.sleep(for: (time.uptime() - began) * 2)
    }

    /// - Returns: the accounts on a page that lack something, after those repairs that are safe, and
    ///   the key of the last account; nil on the last page.
    private func incompleteAccounts(after: Int64) async throws -> ([Orphan], last: Int64?) {
        let hasPasswords = hasPasswords
        let accounts = try await store.read {
            try $0.completeness(after: after, hasPasswords: hasPasswords)
        }
        var found: [Orphan] = []
        for account in accounts {
            for orphan in account.orphans {
                if orphan.isRepairable, try await isRepaired(orphan) { continue }
                found.append(orphan)
            }
        }
        return (found, accounts.count < Self.pageRows ? nil : accounts.last?.account.key)
    }

    private func isRepaired(_ orphan: Orphan) async throws -> Bool {
        do {
            // False if it has been repaired or deleted since the page was read.
            if try await repair.giveProfile(to: orphan.account, by: nil) {
                logger.warning(
                    "identity.orphans.repaired", "an account without a profile got an empty one",
                    fields: [.account: .text(orphan.account.text)])
            }
            return true
        } catch {
            try Task.checkCancellation()
            logger.error(
                "identity.orphans.repair_failed", "an account without a profile stays without one",
                fields: [.account: .text(orphan.account.text), .detail: .error(error)])
            return false
        }
    }

    private func ownerless(
        _ table: OrphanTable, after: Int64
    ) async throws -> ([Orphan], last: Int64?) {
        let latest = time.now() - Self.migrationMax
        let page = try await store.read { session in
            try table.owners(
                after: after, rows: Self.pageRows, stoppedBy: latest, in: session)
        }
        let found = try page.filter { !$0.isOwned }.map {
            Orphan(
                kind: table.kind, account: try AccountID(stored: $0.account),
                isRepairable: table.kind.repair != nil)
        }
        return (found, page.last?.account)
    }

    /// Adds what a page shows, and reports it after the last page of the last table.
    private func goOn(_ orphans: [Orphan], _ last: Int64?) -> Bool {
        let found = state.withLock { state -> OrphanFindings.Found? in
            for orphan in orphans {
                if orphan.kind == .migration {
                    state.stopped.insert(orphan.account)
                    guard state.stoppedBefore.contains(orphan.account) else { continue }
                }
                state.found.add(orphan)
            }
            state.after = last ?? 0
            if last == nil { state.table += 1 }
            guard state.table > OrphanTable.all.count else { return nil }
            defer { state = State(stoppedBefore: state.stopped) }
            return state.found
        }
        guard let found else { return true }
        findings.replace(Self.kinds, with: found, endedAt: time.now())
        if found.sum > 0 {
            logger.error(
                "identity.orphans.found", "there are orphaned accounts",
                fields: [.count: .integer(found.sum)])
        }
        return false
    }
}

/// What an account has.
private struct Completeness: Sendable {
    let account: AccountID
    let hasProfile: Bool
    let hasKey: Bool
    let hasWayIn: Bool
    /// Guests have no way to sign in.
    let needsWayIn: Bool

    /// What it lacks. A profile is sealed under the key, so without one it cannot be given.
    var orphans: [Orphan] {
        var kinds: [OrphanKind] = []
        if !hasProfile { kinds.append(.accountWithoutProfile) }
        if !hasKey { kinds.append(.accountWithoutKey) }
        if needsWayIn && !hasWayIn { kinds.append(.accountWithoutWayIn) }
        return kinds.map {
            Orphan(kind: $0, account: account, isRepairable: $0.repair != nil && hasKey)
        }
    }
}

extension SQLSession {
    /// The next accounts by key. Those that are being deleted are complete: their rows go.
    fileprivate func completeness(
        after key: Int64, hasPasswords: Bool
    ) throws -> [Completeness] {
        try query(
            """
            SELECT account, status, is_guest,
                EXISTS (SELECT 1 FROM profiles WHERE profiles.account = page.account)
                    AS has_profile,
                EXISTS (SELECT 1 FROM account_keys WHERE account_keys.account = page.account)
                    AS has_key,
                EXISTS (
                    SELECT 1 FROM email_addresses WHERE email_addresses.account = page.account)
                    AS has_address,
                EXISTS (SELECT 1 FROM identities WHERE identities.account = page.account)
                    AS has_identity,
                EXISTS (SELECT 1 FROM passkeys WHERE passkeys.account = page.account)
                    AS has_passkey
            FROM (
                SELECT account, status, is_guest FROM accounts
                WHERE account > ? ORDER BY account LIMIT ?) AS page
            ORDER BY account
            """, [.integer(key), .integer(OrphanCheck.pageRows)]
        ) { row in
            let isDeleting = try row.integer("status") == AccountStatus.deleting.rawValue
            return Completeness(
                account: try AccountID(stored: row.integer("account")),
                hasProfile: try row.boolean("has_profile") || isDeleting,
                hasKey: try row.boolean("has_key") || isDeleting,
                hasWayIn: try row.boolean("has_identity")
                    || row.boolean(hasPasswords ? "has_address" : "has_passkey"),
                needsWayIn: try !row.boolean("is_guest") && !isDeleting)
        }
    }
}
