/// One program's metrics at one time, as far as `postern top` shows them.
struct ServiceScrape {
    /// The metrics of one method.
    struct Method {
        var calls: Double = 0
        var failures: Double = 0
        var inFlight: Double = 0
        var histogram = Histogram()
    }

    /// When the page was read, in seconds of the boot clock.
    let at: Double
    /// Responses with an error, including calls rejected before a method was found.
    let errors: Double
    let connections: Double?
    let residentBytes: Double?
    let processorSeconds: Double?
    private(set) var methods: [String: Method] = [:]

    /// Reads the page that was fetched `at` this second.
    init(_ page: MetricsText, at: Double) {
        self.at = at
        errors = page.sum("postern_rpc_errors_total") ?? 0
        connections = page.sum("postern_rpc_connections")
        residentBytes = page.sum("process_resident_memory_bytes")
        processorSeconds = page.sum("process_cpu_seconds_total")
        for sample in page.samples("postern_rpc_calls_total") {
            guard let name = sample.labels["method"] else { continue }
            methods[name, default: Method()].calls += sample.value
            if sample.labels["status"] != "ok" {
                methods[name, default: Method()].failures += sample.value
            }
        }
        for sample in page.samples("postern_rpc_in_flight") {
            guard let name = sample.labels["method"] else { continue }
            methods[name, default: Method()].inFlight += sample.value
        }
        for sample in page.samples("postern_rpc_call_seconds_bucket") {
            guard let name = sample.labels["method"],
                let bound = sample.labels["le"].flatMap({ Double($0) })
            else { continue }
            methods[name, default: Method()].histogram.add(bound, sample.value)
        }
    }
}

/// The activity between two scrapes.
struct Activity {
    var callsPerSecond: Double = 0
    var errorsPerSecond: Double = 0
    var inFlight: Double = 0
    var histogram = Histogram()

    /// The activity of a method.
    init(_ now: ServiceScrape.Method, since before: ServiceScrape.Method?, seconds: Double) {
        callsPerSecond = Self.grown(now.calls, before?.calls) / seconds
        errorsPerSecond = Self.grown(now.failures, before?.failures) / seconds
        inFlight = now.inFlight
        histogram = before.map { now.histogram.since($0.histogram) } ?? now.histogram
    }

    /// The activity of a program: the sum of its methods, and every response with an error.
    init(_ now: ServiceScrape, since before: ServiceScrape) {
        let seconds = max(0.001, now.at - before.at)
        for (name, method) in now.methods {
            let part = Activity(method, since: before.methods[name], seconds: seconds)
            callsPerSecond += part.callsPerSecond
            inFlight += part.inFlight
            for bucket in part.histogram.buckets { histogram.add(bucket.bound, bucket.count) }
        }
        errorsPerSecond = Self.grown(now.errors, before.errors) / seconds
    }

    /// How much a counter has grown; a lower value means that it has restarted from zero.
    static func grown(_ now: Double, _ before: Double?) -> Double {
        guard let before, before <= now else { return now }
        return now - before
    }
}

/// A distribution of durations: cumulative counts by upper bound, as in a histogram's buckets.
struct Histogram {
    /// Rising bounds in seconds, the last infinite, each with the number of durations not above it.
    private(set) var buckets: [(bound: Double, count: Double)] = []

    /// Adds to one bucket's count.
    mutating func add(_ bound: Double, _ count: Double) {
        if let index = buckets.firstIndex(where: { $0.bound >= bound }) {
            if buckets[index].bound == bound {
                buckets[index].count += count
            } else {
                buckets.insert((bound, count), at: index)
            }
        } else {
            buckets.append((bound, count))
        }
    }

    /// The increase since `before`. A program that was restarted has counted from zero. A bucket
    /// that `before` lacks was empty then, and was not on the page.
    func since(_ before: Histogram) -> Histogram {
        let counts = Dictionary(uniqueKeysWithValues: before.buckets.map { ($0.bound, $0.count) })
        guard Set(counts.keys).isSubset(of: buckets.map(\.bound)),
            buckets.allSatisfy({ $0.count >= counts[$0.bound, default: 0] })
        else { return self }
        var histogram = Histogram()
        histogram.buckets = buckets.map { ($0.bound, $0.count - counts[$0.bound, default: 0]) }
        return histogram
    }

    /// A quantile, as exactly as the buckets allow.
    enum Quantile: Equatable {
        /// About this many seconds.
        case about(Double)
        /// Below the lowest bound.
        case below(Double)
        /// Above the highest bound.
        case above(Double)
    }

    /// The duration that `part` (0 … 1) of them did not exceed, with linear interpolation within a
    /// bucket; nil if there are none.
    func quantile(_ part: Double) -> Quantile? {
        guard let total = buckets.last?.count, total > 0 else { return nil }
        let rank = part * total
        guard let index = buckets.firstIndex(where: { $0.count >= rank }) else { return nil }
        let bucket = buckets[index]
        guard index > 0 else { return .below(bucket.bound) }
        let lower = buckets[index - 1]
        guard bucket.bound.isFinite else { return .above(lower.bound) }
        let within = (rank - lower.count) / max(1e-9, bucket.count - lower.count)
        return .about(lower.bound + (bucket.bound - lower.bound) * within)
    }
}
