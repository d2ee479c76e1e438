import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// Finds hourly the accounts of which another service has data and identity has no row, which a
/// deletion that was cut short or a restored backup leaves behind. Reported with what `OrphanCheck`
/// finds (I-04, I-09). The rate limiter is not asked: its hashes name no account.
///
/// A step reads one page of one service, and rests twice as long as that took. It reads a page with
/// orphans twice: a deletion at the same time removes the data there before the account's row,
/// so its data is on the first page and not on the second. A service that does not answer is logged
/// once, until it answers again; what was found there stays as it was.
final class OrphansElsewhere: Sendable {
    /// Pages of one service in one run: ten million accounts. The next run continues there.
    static let pagesMax = 10_000_000 / AccountDataV1.ListAccountsWithDataResponse.accountsMax
    private static let timeout: Duration = .seconds(10)

    /// A service with data of accounts.
    struct Holder: Sendable {
        let service: OrphanService
        let data: any AccountDataAPI
    }

    /// Where the reading of a service has come to.
    private struct Position {
        var token = ""
        /// Pages read in this run.
        var pages = 0
        var found = OrphanFindings.Found()
        var isFailing = false
    }

    private struct State {
        /// The service that is read.
        var holder = 0
        /// Of each service.
        var positions: [Position]
    }

    private let holders: [Holder]
    private let store: Store
    private let time: any Time
    private let logger: Logger
    private let findings: OrphanFindings
    private let state: Mutex<State>

    init(
        holders: [Holder], store: Store, time: any Time, logger: Logger,
        findings: OrphanFindings
    ) {
        self.holders = holders
        self.store = store
        self.time = time
        self.logger = logger
        self.findings = findings
        state = Mutex(State(positions: holders.map { _ in Position() }))
    }

    /// Runs the check at each interval of `OrphanCheck`.
    var duty: Duty { Duty("orphans-elsewhere", every: OrphanCheck.interval, step: step) }

    /// Reads a page.
    /// - Returns: whether this run has more to read.
    /// - Throws: errors of the store; `CancellationError`.
    func step() async throws -> Bool {
        guard !holders.isEmpty else { return false }
        let began = time.uptime()
        let (place, token) = state.withLock { ($0.holder, $0.positions[$0.holder].token) }
        do {
            let page = try await list(holders[place], token)
            // After the page: an account that has been created since is no orphan.
            var found = try await orphans(on: page)
            if !found.isEmpty {
                let still = try await list(holders[place], token).accounts.flatMap(Self.data)
                found = found.filter(Set(still).contains)
            }
            let isMore = add(found, nextToken: page.nextPageToken, of: place)
            try await OrphanCheck.rest(time, after: began)
            return isMore
        } catch let failure as Failure {
            try Task.checkCancellation()
            return skip(place, failure.error)
        }
    }

    /// A service has not answered.
    private struct Failure: Error {
        let error: ServiceError
    }

    private func list(
        _ holder: Holder, _ token: String
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        do {
            return try await holder.data.listAccountsWithData(
                AccountDataV1.ListAccountsWithDataRequest(pageToken: token),
                .byIdentity(deadline: time.uptime() + Self.timeout))
        } catch let error as ServiceError {
            throw Failure(error: error)
        }
    }

    private func orphans(
        on page: AccountDataV1.ListAccountsWithDataResponse
    ) async throws -> [Orphan] {
        try await store.read { session in
            try page.accounts.flatMap { listed -> [Orphan] in
                let data = Self.data(of: listed)
                guard let account = data.first?.account, try !session.hasAccount(account)
                else { return [] }
                return data
            }
        }
    }

    /// What a service has of an account, as orphans if there is no such account.
    private static func data(of listed: AccountDataV1.AccountWithData) -> [Orphan] {
        guard let account = AccountID(text: listed.accountId) else { return [] }
        // A newer version's kinds are not counted here.
        return listed.kinds.compactMap(AccountDataKind.init).compactMap(OrphanKind.init)
            .map { Orphan(kind: $0, account: account, isRepairable: true) }
    }

    /// Adds a page's orphans, and reports them after the last page.
    private func add(
        _ orphans: [Orphan], nextToken: String, of place: Int
    ) -> Bool {
        let (total, isMore) = state.withLock { state -> (OrphanFindings.Found?, Bool) in
            for orphan in orphans { state.positions[place].found.add(orphan) }
            state.positions[place].token = nextToken
            state.positions[place].pages += 1
            state.positions[place].isFailing = false
            guard nextToken.isEmpty else {
                let isDone = state.positions[place].pages >= Self.pagesMax
                return (nil, isDone ? Self.goOn(&state) : true)
            }
            let total = state.positions[place].found
            state.positions[place].found = OrphanFindings.Found()
            return (total, Self.goOn(&state))
        }
        if let total { report(total, of: holders[place]) }
        return isMore
    }

    private func skip(_ place: Int, _ error: ServiceError) -> Bool {
        let (wasFailing, isMore) = state.withLock { state in
            let wasFailing = state.positions[place].isFailing
            // A page token may be what it refuses: the next run starts over.
            state.positions[place] = Position(isFailing: true)
            return (wasFailing, Self.goOn(&state))
        }
        if !wasFailing {
            logger.warning(
                "identity.orphans.peer_failed",
                "a service does not say of which accounts it has data; it is asked again hourly",
                fields: [.peer: .text(holders[place].service.rawValue), .detail: .error(error)])
        }
        return isMore
    }

    /// Goes on to the next service.
    /// - Returns: false after the last one.
    private static func goOn(_ state: inout State) -> Bool {
        state.positions[state.holder].pages = 0
        state.holder = (state.holder + 1) % state.positions.count
        return state.holder != 0
    }

    private func report(_ found: OrphanFindings.Found, of holder: Holder) {
        findings.replace(holder.service.kinds, with: found, endedAt: time.now())
        guard found.sum > 0 else { return }
        logger.error(
            "identity.orphans.elsewhere", "another service has data of accounts that do not exist",
            fields: [.peer: .text(holder.service.rawValue), .count: .integer(found.sum)])
    }
}
