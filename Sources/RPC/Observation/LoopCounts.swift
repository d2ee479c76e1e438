import ServiceRuntime

/// The counters of one event loop of a server.
///
/// Calls that start and end during one read are answered by the flush at its end. That is when
/// their callers stop waiting, so all these calls are timed by one clock reading after the flush.
final class LoopCounts {
    let figures: LoopFigures
    private let methods: [String]
    private let slowCalls: SlowCallLog?
    private var isInRead = false
    private var readBegan = Duration.zero
    /// Number of calls of each method that ended during this read.
    private var ended: [Int]
    /// The methods of which calls ended during this read.
    private var touched: [Int] = []

    init(methods: [String], slowCalls: SlowCallLog?) {
        figures = LoopFigures(methodCount: methods.count)
        self.methods = methods
        self.slowCalls = slowCalls
        ended = Array(repeating: 0, count: methods.count)
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
            figures.methods[method].took(took.nanoseconds, calls: ended[method])
            ended[method] = 0
            slowCalls?.record(took, at: uptime) { SlowCall(method: methods[method]) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Counts the end of a call.
    /// - Returns: false when `readEnded` will count the duration; otherwise the caller must call
    ///   `took`.
    func ended(_ call: borrowing ObservedCall, _ status: StatusCode, responseBytes: Int) -> Bool {
        figures.methods[call.method].ended(status, responseBytes: responseBytes)
        guard isInRead, readBegan == call.beganAt, call.traced == nil else { return true }
        if ended[call.method] == 0 { touched.append(call.method) }
        ended[call.method] += 1
        return false
    }

    /// Counts the duration of a call that ended at `uptime`.
    func took(_ call: borrowing ObservedCall, _ status: StatusCode, until uptime: Duration) {
        let took = uptime - call.beganAt
        figures.methods[call.method].took(took.nanoseconds)
        guard !call.mayTakeLong else { return }
        slowCalls?.record(took, at: uptime) {
            SlowCall(method: methods[call.method], status: status, trace: call.trace)
        }
    }
}

/// The counters of one loop, which any thread may read.
final class LoopFigures: Sendable {
    let methods: [MethodCounts]
    let receivedBytes = LoopCounter()
    let sentBytes = LoopCounter()
    private let errors: [ErrorCode: Refusals]

    /// Number of responses with one code of the catalogue.
    private final class Refusals: Sendable {
        let all = LoopCounter()
        let notProcessed = LoopCounter()
    }

    init(methodCount: Int) {
        methods = (0..<methodCount).map { _ in MethodCounts() }
        errors = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0, Refusals()) })
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
