import Messages
import Metrics
import ServiceRuntime
import Storage

/// How many messages wait, are being sent and are dead, counted every minute. Sent ones are
/// not counted: they are many, and none of them needs anybody.
struct OutboxMetrics: Sendable {
    private static let interval: Duration = .seconds(60)

    private let store: Store
    private let gauges: [NotificationV1.MessageState: Gauge]

    /// The gauges of the messages in `store`.
    init(of store: Store, in metrics: any MetricsFactory) {
        self.store = store
        let names: [NotificationV1.MessageState: String] = [
            .queued: "queued", .sending: "sending", .waiting: "waiting", .dead: "dead",
        ]
        gauges = names.mapValues {
            Gauge(label: "messages", dimensions: [("state", $0)], factory: metrics)
        }
    }

    /// Counts at each interval.
    var duty: Duty {
        Duty("message-counts", every: Self.interval) {
            try await count()
            return false
        }
    }

    /// Counts once.
    func count() async throws {
        let counts = try await store.read { try $0.messageCounts() }
        for (state, gauge) in gauges {
            gauge.record(counts.first { $0.state == state }?.count ?? 0)
        }
    }
}
