import Metrics

/// What a store on a server counts besides `StoreMetrics`: flows that ran again and why,
/// unknown outcomes, waits for locks, and whether this instance holds the store.
struct ServerMetrics: Sendable {
    /// Why a flow ran again.
    enum Cause: String, CaseIterable {
        /// The connection was lost, or the server ended it, before COMMIT was sent.
        case connection
        /// Two flows waited for each other, and the server ended this one.
        case deadlock
        /// The server could not order two transactions.
        case serialization
        /// The flow did nothing in its transaction for too long.
        case idle
        /// The server became a standby.
        case standby
        /// A unique index refused a row: the second run sees the row that won.
        case unique
    }

    private let repeats: [Cause: Counter]
    private let unknownOutcomes: Counter
    private let lockWaits: Counter
    private let linkUp: Gauge

    /// The metrics of the store `name`.
    init(name: String, factory: any MetricsFactory = MetricsSystem.factory) {
        let dimensions = [("store", name)]
        let counters = Cause.allCases.map { cause in
            (
                cause,
                Counter(
                    label: "store_repeats", dimensions: dimensions + [("cause", cause.rawValue)],
                    factory: factory)
            )
        }
        repeats = Dictionary(uniqueKeysWithValues: counters)
        unknownOutcomes = Counter(
            label: "store_unknown_outcomes", dimensions: dimensions, factory: factory)
        lockWaits = Counter(label: "store_lock_waits", dimensions: dimensions, factory: factory)
        linkUp = Gauge(label: "store_link_up", dimensions: dimensions, factory: factory)
    }

    /// Counts a flow that runs again.
    func countRepeat(_ cause: Cause) { repeats[cause]?.increment() }

    /// Counts a flow whose outcome is unknown.
    func countUnknown() { unknownOutcomes.increment() }

    /// Counts a flow that gave up after it had waited for a lock.
    func countLockWait() { lockWaits.increment() }

    /// Records whether this instance holds the store.
    func setLink(isUp: Bool) { linkUp.record(isUp ? 1 : 0) }
}
