import Logging
import Metrics
import ServiceRuntime
import Storage

/// Counts the deletions every minute, for the metrics, and warns of those that take too long.
struct DeletionCheck: Sendable {
    static let interval: Duration = .seconds(60)

    private let store: Store
    private let overdueAfter: Duration
    private let time: any Time
    private let logger: Logger
    private let waiting: Gauge
    private let deleting: Gauge
    private let overdue: Gauge

    init(
        store: Store, settings: DeletionSettings, time: any Time, logger: Logger,
        metrics: any MetricsFactory
    ) {
        self.store = store
        self.time = time
        self.logger = logger
        overdueAfter = settings.overdue
        func gauge(_ state: String) -> Gauge {
            Gauge(label: "identity_deletions", dimensions: [("state", state)], factory: metrics)
        }
        waiting = gauge("waiting")
        deleting = gauge("deleting")
        overdue = Gauge(label: "identity_deletions_overdue", factory: metrics)
    }

    /// Counts at each interval.
    var duty: Duty {
        Duty("deletions", every: Self.interval) {
            try await check()
            return false
        }
    }

    /// Counts once.
    func check() async throws {
        let limit = time.now() - overdueAfter
        let counts = try await store.read { session in
            try session.queryOne(
                """
                SELECT count(CASE WHEN step = 0 THEN 1 END) AS waiting,
                    count(CASE WHEN step > 0 THEN 1 END) AS deleting,
                    count(CASE WHEN begun_at_ms < ? THEN 1 END) AS overdue
                FROM deletions
                """, [SQLValue(limit)]
            ) { row in
                (
                    try row.integer("waiting"), try row.integer("deleting"),
                    try row.integer("overdue")
                )
            }
        }
        guard let (waits, deletes, late) = counts else { return }
        waiting.record(waits)
        deleting.record(deletes)
        overdue.record(late)
        guard late > 0 else { return }
        logger.error(
            "identity.deletions.overdue",
            "deletions take longer than deletion-overdue: postern deletions lists them",
            fields: [.count: .integer(late)])
    }
}
