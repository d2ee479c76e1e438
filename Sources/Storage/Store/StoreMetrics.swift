import Metrics
import ServiceRuntime

/// A store's metrics: commit time, flows in a commit, waiting flows and refusals.
struct StoreMetrics: Sendable {
    private let commit: Metrics.Timer
    private let groupFlows: Recorder
    private let waitingWrites: Gauge
    private let refused: Counter
    private let time: any Time

    /// The metrics of the store `name`.
    init(name: String, time: any Time) {
        let dimensions = [("store", name)]
        commit = Timer(label: "store_commit", dimensions: dimensions)
        groupFlows = Recorder(label: "store_group_flows", dimensions: dimensions)
        waitingWrites = Gauge(label: "store_waiting_writes", dimensions: dimensions)
        refused = Counter(label: "store_refused", dimensions: dimensions)
        self.time = time
    }

    /// Records one group: its size, its time, and how many flows were waiting when it began.
    func measure(flows: Int, waiting: Int, _ body: () -> Void) {
        let start = time.uptime()
        body()
        commit.record(duration: time.uptime() - start)
        groupFlows.record(flows)
        waitingWrites.record(waiting)
    }

    /// Counts a caller refused because too many wait.
    func countRefusal() { refused.increment() }
}
