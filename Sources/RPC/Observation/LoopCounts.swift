import ServiceRuntime

/// What one event loop of a server counts, and the read turn it is in.
///
/// Calls that begin and end within one read turn are answered by the flush at its end; so that is
/// when they took as long as their caller waited, and one reading of the clock serves them all.
final class LoopCounts {
    let figures: LoopFigures
    private let methods: [String]
    private let slowCalls: SlowCallLog?
    private var isInTurn = false
    private var turnBegan = Duration.zero
    /// How many calls of each method ended in this turn.
    private var ended: [Int]
    /// The methods of which calls ended in this turn.
    private var touched: [Int] = []

    init(methods: [String], slowCalls: SlowCallLog?) {
        figures = LoopFigures(methodCount: methods.count)
        self.methods = methods
        self.slowCalls = slowCalls
        ended = Array(repeating: 0, count: methods.count)
    }

    /// A connection begins to read.
    func turnBegan(at uptime: Duration) {
        isInTurn = true
        turnBegan = uptime
    }

    /// A connection has answered what it read; reads the clock when calls have ended meanwhile.
    func turnEnded(_ time: any Time) {
        defer { isInTurn = false }
        guard !touched.isEmpty else { return }
        let uptime = time.uptime()
        let took = isInTurn ? uptime - turnBegan : .zero
        for method in touched {
            figures.methods[method].took(took.nanoseconds, calls: ended[method])
            ended[method] = 0
            slowCalls?.note(took, at: uptime) { SlowCall(method: methods[method]) }
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// Counts a call's end.
    /// - Returns: false when the end of this turn is to tell when it was; otherwise `took` is.
    func ended(_ call: borrowing ObservedCall, _ status: StatusCode, responseBytes: Int) -> Bool {
        figures.methods[call.method].ended(status, responseBytes: responseBytes)
        guard isInTurn, turnBegan == call.beganAt, call.traced == nil else { return true }
        if ended[call.method] == 0 { touched.append(call.method) }
        ended[call.method] += 1
        return false
    }

    /// A call has ended at `uptime`.
    func took(_ call: borrowing ObservedCall, _ status: StatusCode, until uptime: Duration) {
        let took = uptime - call.beganAt
        figures.methods[call.method].took(took.nanoseconds)
        guard !call.mayTakeLong else { return }
        slowCalls?.note(took, at: uptime) {
            SlowCall(method: methods[call.method], status: status, trace: call.trace)
        }
    }
}

/// The figures of one loop, which anybody may read.
final class LoopFigures: Sendable {
    let methods: [MethodCounts]
    let receivedBytes = LoopCounter()
    let sentBytes = LoopCounter()
    private let errors: [ErrorCode: Refusals]

    /// Answers with one code of the catalogue.
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

    /// How many answers had this code, and how many of them said that nothing was begun.
    func refusals(_ code: ErrorCode) -> (all: Int64, notProcessed: Int64) {
        guard let refusals = errors[code] else { return (0, 0) }
        return (refusals.all.count, refusals.notProcessed.count)
    }
}
