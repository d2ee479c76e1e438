/// What one program's metrics said at one moment, as far as `postern top` shows it.
struct ServiceScrape {
    /// What is told of one method.
    struct Method {
        var calls: Double = 0
        var failures: Double = 0
        var inFlight: Double = 0
        var spread = Spread()
    }

    /// When, in seconds of the boot clock.
    let at: Double
    /// Answers with an error, refusals before any method included.
    let errors: Double
    let connections: Double?
    let residentBytes: Double?
    let processorSeconds: Double?
    private(set) var methods: [String: Method] = [:]

    /// Reads the page that was taken `at` this second.
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

/// What happened between two scrapes.
struct Activity {
    var callsPerSecond: Double = 0
    var errorsPerSecond: Double = 0
    var inFlight: Double = 0
    var spread = Spread()

    /// A method's.
    init(_ now: ServiceScrape.Method, since before: ServiceScrape.Method?, seconds: Double) {
        callsPerSecond = Self.grown(now.calls, before?.calls) / seconds
        errorsPerSecond = Self.grown(now.failures, before?.failures) / seconds
        inFlight = now.inFlight
        spread = before.map { now.spread.since($0.spread) } ?? now.spread
    }

    /// A program's: the sum of its methods', and every answer with an error.
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

    /// How much a counter has grown; one that is lower than it was has begun anew.
    static func grown(_ now: Double, _ before: Double?) -> Double {
        guard let before, before <= now else { return now }
        return now - before
    }
}
