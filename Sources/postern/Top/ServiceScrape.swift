/// One program's metrics at one time, as far as `postern top` shows them.
struct ServiceScrape {
    /// The metrics of one method.
    struct Method {
        var calls: Double = 0
        var failures: Double = 0
        var inFlight: Double = 0
        var spread = Spread()
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
            methods[name, default: Method()].spread.add(bound, sample.value)
        }
    }
}

/// The activity between two scrapes.
struct Activity {
    var callsPerSecond: Double = 0
    var errorsPerSecond: Double = 0
    var inFlight: Double = 0
    var spread = Spread()

    /// The activity of a method.
    init(_ now: ServiceScrape.Method, since before: ServiceScrape.Method?, seconds: Double) {
        callsPerSecond = Self.grown(now.calls, before?.calls) / seconds
        errorsPerSecond = Self.grown(now.failures, before?.failures) / seconds
        inFlight = now.inFlight
        spread = before.map { now.spread.since($0.spread) } ?? now.spread
    }

    /// The activity of a program: the sum of its methods, and every response with an error.
    init(_ now: ServiceScrape, since before: ServiceScrape) {
        let seconds = max(0.001, now.at - before.at)
        for (name, method) in now.methods {
            let part = Activity(method, since: before.methods[name], seconds: seconds)
            callsPerSecond += part.callsPerSecond
            inFlight += part.inFlight
            for bucket in part.spread.buckets { spread.add(bucket.bound, bucket.count) }
        }
        errorsPerSecond = Self.grown(now.errors, before.errors) / seconds
    }

    /// How much a counter has grown; a lower value means that it has restarted from zero.
    static func grown(_ now: Double, _ before: Double?) -> Double {
        guard let before, before <= now else { return now }
        return now - before
    }
}
