import HTTPTypes
import RPC
package import ServiceRuntime
import Synchronization

/// The metrics of the listener, `web_…`: connections by version, requests by class of status,
/// their durations, bytes, and refusals by reason. No label depends on what a client sends.
///
/// Each event loop has its own counters; they are added up only when the metrics are read.
package final class WebObservation: MetricSource {
    private let loops = Mutex<[LoopFigures]>([])

    /// The observation of one listener.
    package init() {}

    /// The counters of another event loop.
    func addLoop() -> LoopFigures {
        let figures = LoopFigures()
        loops.withLock { $0.append(figures) }
        return figures
    }

    /// Writes the metric families `web_…`.
    package func write(to page: inout MetricsPage) {
        let loops = loops.withLock { $0 }
        func sum(_ count: (LoopFigures) -> Int64) -> Double {
            Double(loops.reduce(0) { $0 &+ count($1) })
        }
        page.gauge("web_connections", sum { max(0, $0.opened.count &- $0.closed.count) })
        let versions: [(String, (LoopFigures) -> Int64)] = [
            ("1.1", { $0.http1.count }), ("2", { $0.http2.count }),
        ]
        for (version, count) in versions {
            page.counter("web_connections_total", sum(count), [("version", version)])
        }
        for (index, name) in StatusClass.names.enumerated() {
            page.counter(
                "web_requests_total", sum { $0.statuses[index].count }, [("status", name)])
        }
        for refusal in WebRefusal.allCases {
            page.counter(
                "web_refusals_total", sum { $0.refusals[refusal.rawValue].count },
                [("reason", refusal.name)])
        }
        page.gauge("web_requests_in_flight", sum { max(0, $0.begun.count &- $0.ended.count) })
        page.counter("web_received_bytes_total", sum { $0.receivedBytes.count })
        page.counter("web_sent_bytes_total", sum { $0.sentBytes.count })
        page.histogram(
            "web_request_seconds", [], bounds: CallSeconds.seconds,
            counts: (0...CallSeconds.count).map { bucket in
                loops.reduce(0) { $0 &+ $1.buckets[bucket].count }
            }, sum: sum { $0.nanoseconds.count } / 1e9)
    }

    /// The classes of statuses that are counted.
    private enum StatusClass {
        static let names = ["cancelled", "1xx", "2xx", "3xx", "4xx", "5xx"]
    }

    /// The counters of one event loop, which any thread may read.
    final class LoopFigures: Sendable {
        let opened = LoopCounter()
        let closed = LoopCounter()
        let http1 = LoopCounter()
        let http2 = LoopCounter()
        let begun = LoopCounter()
        let ended = LoopCounter()
        let receivedBytes = LoopCounter()
        let sentBytes = LoopCounter()
        fileprivate let nanoseconds = LoopCounter()
        fileprivate let statuses: InlineArray<6, LoopCounter>
        fileprivate let buckets: InlineArray<17, LoopCounter>
        fileprivate let refusals: InlineArray<14, LoopCounter>

        init() {
            statuses = InlineArray { _ in LoopCounter() }
            buckets = InlineArray { _ in LoopCounter() }
            refusals = InlineArray { _ in LoopCounter() }
        }

        /// A response was begun; nil for a request that ended without one.
        func responded(_ status: HTTPResponse.Status?) {
            statuses[min(5, max(0, (status?.code ?? 0) / 100))].add()
        }

        /// A request has ended after `duration`.
        func took(_ duration: Duration) {
            ended.add()
            buckets[CallSeconds.bucket(of: duration.nanoseconds)].add()
            nanoseconds.add(Int(clamping: duration.nanoseconds))
        }

        func refused(_ reason: WebRefusal) { refusals[reason.rawValue].add() }
    }
}

/// Why the listener refused a connection or a request.
enum WebRefusal: Int, CaseIterable {
    case connectionsTotal
    case connectionsFromAddress
    case connectionsUnused
    case proxyHeader
    case tls
    case slowHeader
    case malformed
    case host
    case overload
    case pipelining
    case slowReader
    case slowBody
    case connectionsIdle
    case displaced

    /// The label of the metric.
    var name: String {
        switch self {
        case .connectionsTotal: "connections_total"
        case .connectionsFromAddress: "connections_from_address"
        case .connectionsUnused: "connections_unused"
        case .proxyHeader: "proxy_header"
        case .tls: "tls"
        case .slowHeader: "slow_header"
        case .malformed: "malformed"
        case .host: "host"
        case .overload: "overload"
        case .pipelining: "pipelining"
        case .slowReader: "slow_reader"
        case .slowBody: "slow_body"
        case .connectionsIdle: "connections_idle"
        case .displaced: "displaced"
        }
    }
}
