import Contracts
import Logging
import Messages
import Metrics
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// Counts hourly the accounts of which another service has data and identity has no row, which a
/// deletion that was cut short or a restored backup leaves behind. Reported with the counts of
/// `OrphanCheck` (I-04, I-09). The rate limiter is not asked: its hashes name no account.
///
/// A step reads one page of one service. A service that does not answer is logged once, until it
/// answers again; its counts stay as they were.
final class OrphansElsewhere: Sendable {
    /// Pages of one service in one run: a million accounts. The next run continues there.
    static let pagesMax = 1_000
    private static let timeout: Duration = .seconds(10)

    /// A service with data of accounts.
    struct Holder: Sendable {
        /// The name in the log.
        let name: String
        let data: any AccountDataAPI
        /// What it has data of.
        let kinds: [AccountDataKind]
    }

    /// Where the reading of a service has come to.
    private struct Position {
        var token = ""
        /// Pages read in this run.
        var pages = 0
        var orphans: [AccountDataKind: Int64] = [:]
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
    private let gauges: [AccountDataKind: Gauge]
    private let state: Mutex<State>

    init(
        holders: [Holder], store: Store, time: any Time, logger: Logger,
        metrics: any MetricsFactory
    ) {
        self.holders = holders
        self.store = store
        self.time = time
        self.logger = logger
        let kinds = holders.flatMap(\.kinds)
        gauges = Dictionary(
            kinds.map { kind in
                let dimensions = [("kind", kind.rawValue)]
                return (
                    kind, Gauge(label: "identity_orphans", dimensions: dimensions, factory: metrics)
                )
            }, uniquingKeysWith: { first, _ in first })
        state = Mutex(State(positions: holders.map { _ in Position() }))
    }

    /// Runs the check at each interval of `OrphanCheck`.
    var duty: Duty { Duty("orphans-elsewhere", every: OrphanCheck.interval, step: step) }

    /// Reads a page.
    /// - Returns: whether this run has more to read.
    /// - Throws: errors of the store; `CancellationError`.
    func step() async throws -> Bool {
        guard !holders.isEmpty else { return false }
        let (place, token) = state.withLock { ($0.holder, $0.positions[$0.holder].token) }
        let holder = holders[place]
        let page: AccountDataV1.ListAccountsWithDataResponse
        do {
            page = try await holder.data.listAccountsWithData(
                AccountDataV1.ListAccountsWithDataRequest(pageToken: token),
                CallContext(
                    application: CallContext.identity, deadline: time.uptime() + Self.timeout))
        } catch let error as ServiceError {
            try Task.checkCancellation()
            return skip(place, error)
        }
        // After the page: an account that has been created since is no orphan.
        let found = try await orphans(on: page)
        return add(found, nextToken: page.nextPageToken, of: place)
    }

    private func orphans(
        on page: AccountDataV1.ListAccountsWithDataResponse
    ) async throws -> [AccountDataKind: Int64] {
        try await store.read { session in
            try page.accounts.reduce(into: [:]) { found, listed in
                guard let account = AccountID(text: listed.accountId),
                    try !session.hasAccount(account)
                else { return }
                // A newer version's kinds are not counted here.
                for kind in listed.kinds.compactMap(AccountDataKind.init) {
                    found[kind, default: 0] += 1
                }
            }
        }
    }

    /// Adds a page's orphans, and reports them after the last page.
    private func add(
        _ found: [AccountDataKind: Int64], nextToken: String, of place: Int
    ) -> Bool {
        let (total, isMore) = state.withLock { state -> ([AccountDataKind: Int64]?, Bool) in
            state.positions[place].orphans.merge(found, uniquingKeysWith: +)
            state.positions[place].token = nextToken
            state.positions[place].pages += 1
            state.positions[place].isFailing = false
            guard nextToken.isEmpty else {
                let isDone = state.positions[place].pages >= Self.pagesMax
                return (nil, isDone ? Self.goOn(&state) : true)
            }
            let total = state.positions[place].orphans
            state.positions[place].orphans = [:]
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
                fields: [.peer: .text(holders[place].name), .detail: .error(error)])
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

    private func report(_ orphans: [AccountDataKind: Int64], of holder: Holder) {
        for kind in holder.kinds { gauges[kind]?.record(orphans[kind] ?? 0) }
        let sum = orphans.values.reduce(0, +)
        guard sum > 0 else { return }
        logger.error(
            "identity.orphans.elsewhere", "another service has data of accounts that do not exist",
            fields: [.peer: .text(holder.name), .count: .integer(sum)])
    }
}

extension SQLSession {
    fileprivate func hasAccount(_ account: AccountID) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM accounts WHERE account = ?", [.integer(account.key)]
        ) { _ in true } ?? false
    }
}
