import ServiceRuntime
import Synchronization

/// The counters of one event loop of a server.
///
/// Calls that start and end during one read are answered by the flush at its end. That is when
/// their callers stop waiting, so all these calls are timed by one clock reading after the flush.
final class LoopCounts {
    let figures: Figures
    private let methods: [String]
    private let slowCalls: SlowCallLog?
    private var isInRead = false
    private var readBegan = Duration.zero
    /// The methods of which calls ended during this read.
    private var touched: [Int] = []

    init(methods: [String], slowCalls: SlowCallLog?) {
        figures = Figures(methodCount: methods.count)
        self.methods = methods
        self.slowCalls = slowCalls
    }

    /// A connection starts to read.
    func readBegan(at uptime: Duration) {
        isInRead = true
        readBegan = uptime
    }

    /// A connection has flushed the responses to what it read. Reads the clock if calls have ended.
    func readEnded(_ time: any Time) {
        defer { isInRead = false }
        guard !touched.isEmpty else { return }
        let uptime = time.uptime()
        let took = isInRead ? uptime - readBegan : .zero
        for method in touched {
            figures.methods[method].readEnded(after: took.nanoseconds)
            slowCalls?.record(took, at: uptime) { SlowCallLog.Call(method: methods[method]) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Counts the end of a call.
    /// - Returns: false when `readEnded` will count the duration; otherwise the caller must call
    ///   `recordDuration`.
    func recordEnd(
        of call: borrowing ObservedCall, _ status: StatusCode, responseBytes: Int
    ) -> Bool {
        figures.methods[call.method].ended(status, responseBytes: responseBytes)
        guard isInRead, readBegan == call.beganAt, call.traced == nil else { return true }
        if figures.methods[call.method].endedInRead() { touched.append(call.method) }
        return false
    }

    /// Counts the duration of a call that ended at `uptime`.
    func recordDuration(
        of call: borrowing ObservedCall, _ status: StatusCode, until uptime: Duration
    ) {
        let took = uptime - call.beganAt
        figures.methods[call.method].took(took.nanoseconds, calls: 1)
        guard !call.mayTakeLong else { return }
        slowCalls?.record(took, at: uptime) {
            SlowCallLog.Call(method: methods[call.method], status: status, trace: call.trace)
        }
    }

    /// The counters of one loop, which any thread may read.
    final class Figures: Sendable {
        /// By a method's index in the table. In memory of their own, as an element of an array is
        /// retained at each use. Only the counters in it change, which are atomic.
        nonisolated(unsafe) let methods: UnsafeMutableBufferPointer<MethodCounts>
        let receivedBytes = LoopCounter()
        let sentBytes = LoopCounter()
        private let errors: [ErrorCode: Refusals]

        /// Number of responses with one code of the catalogue.
        private final class Refusals: Sendable {
            let all = LoopCounter()
            let notProcessed = LoopCounter()
        }

        init(methodCount: Int) {
            methods = .allocate(capacity: methodCount)
            for method in methods.indices {
                methods.initializeElement(at: method, to: MethodCounts())
            }
            errors = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0, Refusals()) })
        }

        deinit {
            methods.deinitialize().deallocate()
        }

        /// A call was answered with `error`.
        func refused(_ error: ServiceError) {
            guard let refusals = errors[error.code] else { return }
            refusals.all.add()
            if error.notProcessed { refusals.notProcessed.add() }
        }

        /// Number of responses with this code, and how many of them were marked as not processed.
        func refusals(_ code: ErrorCode) -> (all: Int64, notProcessed: Int64) {
            guard let refusals = errors[code] else { return (0, 0) }
            return (refusals.all.count, refusals.notProcessed.count)
        }
    }
}

/// A counter that only one event loop increments and any thread may read.
///
/// With a single writer no addition can be lost, so a plain load and store suffice. An atomic
/// addition would lock the cache line and cost ten times as much, several times per call.
package struct LoopCounter: ~Copyable, Sendable {
    private let value = Atomic<Int64>(0)

    /// Starts at 0.
    package init() {}

    /// The current value.
    package var count: Int64 { value.load(ordering: .relaxed) }

    /// Adds `amount`; call it only on the counter's loop.
    package func add(_ amount: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ Int64(amount), ordering: .relaxed)
    }
}

/// The counters of one method on one event loop of a server.
struct MethodCounts: ~Copyable, Sendable {
    private let statuses: InlineArray<17, LoopCounter>
    private let buckets: InlineArray<17, LoopCounter>
    private let begun = LoopCounter()
    private let nanoseconds = LoopCounter()
    private let requestBytes = LoopCounter()
    private let responseBytes = LoopCounter()
    /// Calls that ended during the current read of a connection.
    private let ended = LoopCounter()

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

    /// Counts a call whose duration is known at the end of the read.
    /// - Returns: whether it is the first one of this read.
    func endedInRead() -> Bool {
        ended.add()
        return ended.count == 1
    }

    /// Counts the calls that ended during a read, which took `duration` nanoseconds.
    func readEnded(after duration: UInt64) {
        took(duration, calls: Int(ended.count))
        ended.add(-Int(ended.count))
    }

    /// Counts `calls` calls that took `duration` nanoseconds each.
    func took(_ duration: UInt64, calls: Int) {
        buckets[CallSeconds.bucket(of: duration)].add(calls)
        nanoseconds.add(
            Int(
                clamping: duration.multipliedReportingOverflow(
                    by: UInt64(clamping: calls)
                ).partialValue))
    }

    /// Adds the counters to `sums`.
    func add(to sums: inout Sums) {
        for index in statuses.indices { sums.statuses[index] &+= statuses[index].count }
        for index in buckets.indices { sums.buckets[index] &+= buckets[index].count }
        sums.begun &+= begun.count
        sums.nanoseconds &+= nanoseconds.count
        sums.requestBytes &+= requestBytes.count
        sums.responseBytes &+= responseBytes.count
    }

    /// The sums of one method's counters over all loops, or those of one client.
    struct Sums {
        var statuses = [Int64](repeating: 0, count: StatusCode.count)
        var buckets = [Int64](repeating: 0, count: CallSeconds.count + 1)
        var begun: Int64 = 0
        var nanoseconds: Int64 = 0
        var requestBytes: Int64 = 0
        var responseBytes: Int64 = 0

        /// Calls that have not ended. At least 0: the loops continue to count while they are read.
        var inFlight: Int64 { max(0, begun &- statuses.reduce(0, &+)) }

        /// Writes the metric families `<prefix>_calls_total`, `_call_seconds` and `_in_flight`. A
        /// method that was not called has no histogram: the empty ones would be most of the page.
        func write(_ prefix: String, _ labels: [MetricsPage.Label], to page: inout MetricsPage) {
            for status in StatusCode.allCases {
                let count = statuses[Int(status.rawValue)]
                guard count > 0 || status == .ok else { continue }
                page.counter(
                    "\(prefix)_calls_total", Double(count), labels + [("status", status.name)])
            }
            if buckets.contains(where: { $0 > 0 }) {
                page.histogram(
                    "\(prefix)_call_seconds", labels, bounds: CallSeconds.seconds, counts: buckets,
                    sum: Double(nanoseconds) / 1e9)
            }
            page.gauge("\(prefix)_in_flight", Double(inFlight), labels)
        }
    }
}

/// The histogram buckets for durations of calls. They are fixed, so that the histograms of
/// several processes can be added.
package enum CallSeconds {
    /// Number of buckets with an upper bound; one more counts longer durations.
    package static let count = 16

    /// Upper bounds in seconds, from 0.1 ms to the default deadline.
    package static let seconds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
        0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let nanoseconds: [UInt64] = seconds.map { UInt64(($0 * 1e9).rounded()) }

    /// The bucket of a duration in nanoseconds: the first whose upper bound is not less.
    package static func bucket(of duration: UInt64) -> Int {
        if duration <= 100_000 { return 0 }  // the usual case
        return nanoseconds.firstIndex { $0 >= duration } ?? count
    }
}
