import Metrics

/// The pool's metrics.
struct HashMetrics: Sendable {
    private let queueLength: Gauge
    private let wait: Timer
    private let duration: Timer
    private let refused: Counter

    init(threads: Int, factory: any MetricsFactory) {
        queueLength = Gauge(label: "password_hash_queue_length", factory: factory)
        wait = Timer(label: "password_hash_wait", factory: factory)
        duration = Timer(label: "password_hash_duration", factory: factory)
        refused = Counter(label: "password_hash_refused", factory: factory)
        Gauge(label: "password_hash_threads", factory: factory).record(threads)
        queueLength.record(0)
    }

    func lengthened(to length: Int) { queueLength.record(length) }

    func waited(_ time: Duration) { wait.recordNanoseconds(Self.nanoseconds(time)) }

    func hashed(in time: Duration) { duration.recordNanoseconds(Self.nanoseconds(time)) }

    func refusedOne() { refused.increment() }

    private static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
