import Contracts
import IdentityService
import Logging
import PersonalData
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// Begins the deletion of unused guests (I-04), daily. The first search after a
/// start looks at all guests, and logs how many will go and from when on.
///
/// A step looks at one page of guests. If the session service does not answer, nothing is decided,
/// and the duty is repeated.
final class UnusedGuests: Sendable {
    /// Far shorter than `guest-kept`.
    static let interval: Duration = .seconds(86_400)
    private static let timeout: Duration = .seconds(10)

    private struct State {
        /// The last guest that was looked at; nil before the first one.
        var after: AccountID?
        /// Whether the first search since the start is over.
        var isReported = false
        /// What it has found so far.
        var count = 0
        var firstDeletion: Timestamp?
    }

    let search: UnusedGuestSearch
    private let store: Store
    private let deletions: DeletionContext
    private let time: any Time
    private let logger: Logger
    private let state = Mutex(State())

    init(
        search: UnusedGuestSearch, deletions: DeletionContext, time: any Time, logger: Logger
    ) {
        self.search = search
        store = search.store
        self.deletions = deletions
        self.time = time
        self.logger = logger
    }

    var duty: Duty { Duty("unused-guests", every: Self.interval, step: step) }

    /// Looks at a page of guests.
    /// - Returns: whether this search has more to look at.
    /// - Throws: errors of the store and of the session service; `CancellationError`.
    func step() async throws -> Bool {
        let rule = try await search.rule()
        let (after, isReported) = state.withLock { ($0.after, $0.isReported) }
        let due = rule.createdBefore(time.now())
        // With `forever`, and before the first guest can be due, there is nothing to delete.
        if isReported || rule.kept == nil, due == nil { return false }
        let page = try await search.page(
            after: after, createdBefore: isReported ? due : nil,
            limit: UnusedGuestSearch.guestsMax, rule,
            .byIdentity(deadline: time.uptime() + Self.timeout))
        for guest in page.guests { try await delete(guest) }
        return goOn(page)
    }

    /// Begins the deletion of a guest whose time has come.
    private func delete(_ guest: UnusedGuest) async throws {
        guard let deletedAt = guest.deletedAt, deletedAt <= time.now() else { return }
        let (account, deletions) = (guest.account, deletions)
        let isBegun = try await store.write(about: [.account(account)]) { transaction in
            // It may have been deleted in another way since it was read. It cannot have been used:
            // no session of it was live. A suspended one is the operator's to delete, and one with
            // documents that need attention goes when their owner has decided about them.
            guard try transaction.isDeletableGuest(account) else { return false }
            try transaction.beginDeletion(
                of: account, source: .guestKept, due: transaction.at, deletions)
            try transaction.audit(AuditEvent(.guestExpired, account: account.key))
            return true
        }
        if isBegun { deletions.wake() }
    }

    /// Goes on to the next page, and reports the first search after its last one.
    private func goOn(_ page: UnusedGuestSearch.Page) -> Bool {
        let report = state.withLock { state -> (count: Int, first: Timestamp)? in
            state.after = page.next
            guard !state.isReported else { return nil }
            state.count += page.guests.count
            let first = page.guests.compactMap(\.deletedAt).min()
            state.firstDeletion = [state.firstDeletion, first].compactMap(\.self).min()
            guard page.next == nil else { return nil }
            state.isReported = true
            return state.firstDeletion.map { (state.count, $0) }
        }
        if let report {
            logger.info(
                "identity.guests.unused",
                "guests without a session will be deleted: `postern accounts guests` lists them",
                fields: [.count: .count(report.count), .detail: .text(report.first.text)])
        }
        return page.next != nil
    }
}

extension SQLSession {
    fileprivate func isDeletableGuest(_ account: AccountID) throws -> Bool {
        try queryOne(
            """
            SELECT 1 FROM accounts WHERE account = ? AND is_guest = 1 AND status NOT IN (?, ?)
                AND NOT \(StoredMigration.isUnderWay)
            """,
            [
                .integer(account.key), .integer(AccountStatus.deleting.rawValue),
                .integer(AccountStatus.suspended.rawValue),
            ]
        ) { _ in true } ?? false
    }
}
