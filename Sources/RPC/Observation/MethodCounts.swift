import ServiceRuntime

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
