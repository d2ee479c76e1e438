import ServiceRuntime
import Synchronization

/// The counters of one method on one event loop of a server.
final class MethodCounts: Sendable {
    private let statuses: InlineArray<17, LoopCounter>
    private let buckets: InlineArray<17, LoopCounter>
    private let begun = LoopCounter()
    private let nanoseconds = LoopCounter()
    private let requestBytes = LoopCounter()
    private let responseBytes = LoopCounter()

    init() {
        statuses = InlineArray { _ in LoopCounter() }
        buckets = InlineArray { _ in LoopCounter() }
    }

    func began(requestBytes: Int) {
        begun.add()
        self.requestBytes.add(requestBytes)
    }

    func ended(_ status: StatusCode, responseBytes: Int) {
        statuses[Int(status.rawValue)].add()
        self.responseBytes.add(responseBytes)
    }

    /// Counts `calls` calls that took `duration` nanoseconds each.
    func took(_ duration: UInt64, calls: Int = 1) {
        buckets[CallBuckets.bucket(of: duration)].add(calls)
        nanoseconds.add(
            Int(
                clamping: duration.multipliedReportingOverflow(
                    by: UInt64(clamping: calls)
                ).partialValue))
    }

    /// Adds the counters to `sums`.
    func add(to sums: inout CallSums) {
        for index in statuses.indices { sums.statuses[index] &+= statuses[index].count }
        for index in buckets.indices { sums.buckets[index] &+= buckets[index].count }
        sums.begun &+= begun.count
        sums.nanoseconds &+= nanoseconds.count
        sums.requestBytes &+= requestBytes.count
        sums.responseBytes &+= responseBytes.count
    }
}

/// The sums of one method's counters over all loops, or those of one client.
struct CallSums {
    var statuses = [Int64](repeating: 0, count: StatusCode.count)
    var buckets = [Int64](repeating: 0, count: CallBuckets.count + 1)
    var begun: Int64 = 0
    var nanoseconds: Int64 = 0
    var requestBytes: Int64 = 0
    var responseBytes: Int64 = 0

    /// Calls that have not ended. At least 0: the loops continue to count while they are read.
    var inFlight: Int64 { max(0, begun &- statuses.reduce(0, &+)) }

    /// Writes the metric families `<prefix>_calls_total`, `_call_seconds` and `_in_flight`.
    func write(_ prefix: String, _ labels: [MetricsPage.Label], to page: inout MetricsPage) {
        for status in StatusCode.allCases {
            let count = statuses[Int(status.rawValue)]
            guard count > 0 || status == .ok else { continue }
            page.counter("\(prefix)_calls_total", Double(count), labels + [("status", status.name)])
        }
        page.histogram(
            "\(prefix)_call_seconds", labels, bounds: CallBuckets.seconds, counts: buckets,
            sum: Double(nanoseconds) / 1e9)
        page.gauge("\(prefix)_in_flight", Double(inFlight), labels)
    }
}

/// A counter that only one event loop increments and any thread may read.
///
/// With a single writer no addition can be lost, so a plain load and store suffice. An atomic
/// addition would lock the cache line and cost ten times as much, several times per call.
struct LoopCounter: ~Copyable, Sendable {
    private let value = Atomic<Int64>(0)

    /// The current value.
    var count: Int64 { value.load(ordering: .relaxed) }

    /// Adds `amount`; call it only on the counter's loop.
    func add(_ amount: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ Int64(amount), ordering: .relaxed)
    }
}

/// The histogram buckets for durations of calls. They are fixed, so that the histograms of several
/// processes can be added.
enum CallBuckets {
    /// Number of buckets with an upper bound; one more counts longer durations.
    static let count = 16

    /// Upper bounds in seconds, from 0.1 ms to the default deadline.
    static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
        0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let nanoseconds: [UInt64] = seconds.map { UInt64(($0 * 1e9).rounded()) }

    /// The bucket of a duration in nanoseconds: the first whose upper bound is not less.
    static func bucket(of duration: UInt64) -> Int {
        if duration <= 100_000 { return 0 }  // the usual case
        return nanoseconds.firstIndex { $0 >= duration } ?? count
    }
}
