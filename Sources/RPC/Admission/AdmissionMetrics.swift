import CoreMetrics
import NIOCore

/// The metrics of one lane: `rpc_server_sheds_total`, `rpc_server_queue_length` and
/// `rpc_server_queue_wait_seconds`. The handles are made once; only a full lane uses them.
struct LaneMetrics: Sendable {
    private let sheds: [ShedReason: Counter]
    private let length: Gauge
    private let wait: CoreMetrics.Timer

    init(_ lane: MethodLane) {
        sheds = Dictionary(
            uniqueKeysWithValues: ShedReason.allCases.map { reason in
                (
                    reason,
                    Counter(
                        label: "rpc_server_sheds_total",
                        dimensions: [("lane", lane.rawValue), ("reason", reason.rawValue)])
                )
            })
        length = Gauge(
            label: "rpc_server_queue_length", dimensions: [("lane", lane.rawValue)])
        wait = Timer(
            label: "rpc_server_queue_wait", dimensions: [("lane", lane.rawValue)])
    }

    func shed(_ reason: ShedReason) { sheds[reason]?.increment() }

    func queued(_ count: Int) { length.record(count) }

    func waited(_ wait: Duration) { self.wait.recordNanoseconds(TimeAmount(wait).nanoseconds) }
}

/// The metrics of connections: `rpc_server_connections` and `rpc_server_connections_refused_total`.
struct ConnectionMetrics: Sendable {
    private let open = Gauge(label: "rpc_server_connections")
    private let refused: [CrowdReason: Counter]

    init() {
        refused = Dictionary(
            uniqueKeysWithValues: CrowdReason.allCases.map { reason in
                (
                    reason,
                    Counter(
                        label: "rpc_server_connections_refused_total",
                        dimensions: [("reason", reason.rawValue)])
                )
            })
    }

    func opened(_ count: Int) { open.record(count) }

    func refuse(_ reason: CrowdReason) { refused[reason]?.increment() }
}
