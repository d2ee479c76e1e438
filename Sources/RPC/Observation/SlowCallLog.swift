package import Logging
import ServiceRuntime
import Synchronization

/// Which call was slow; nothing of what it said.
struct SlowCall {
    let method: String
    var status: StatusCode?
    var trace: String?
}

/// Writes slow calls into the log. When everything is slow the log must not make it slower: at
/// most ten lines a second, and then how many were left out.
package final class SlowCallLog: Sendable {
    private let threshold: Duration
    private let logger: Logger
    private let budget = Mutex(SlowCallBudget())

    /// A log of the calls that take `threshold` or longer.
    package init(threshold: Duration, logger: Logger) {
        self.threshold = threshold
        self.logger = logger
    }

    /// Writes the call down if it was slow.
    func note(_ took: Duration, at uptime: Duration, _ call: () -> SlowCall) {
        guard took >= threshold else { return }
        guard case .write(let leftOut) = budget.withLock({ $0.decide(at: uptime) }) else { return }
        let call = call()
        var fields: [LogField: LogValue] = [
            .method: .text(call.method), .milliseconds: .milliseconds(took),
        ]
        if let status = call.status { fields[.status] = .text(status.name) }
        if let trace = call.trace { fields[.trace] = .text(trace) }
        logger.warning("rpc.call.slow", "slow call", fields: fields)
        guard leftOut > 0 else { return }
        logger.warning(
            "rpc.call.slow.suppressed", "slow calls were left out of the log",
            fields: [.count: .count(leftOut)])
    }
}

/// How many lines the slow calls may have: `linesMax` in a second.
struct SlowCallBudget {
    /// Lines in one second; enough to see which methods it is.
    static let linesMax = 10

    enum Decision: Equatable {
        /// Write it, and that so many were left out before.
        case write(leftOut: Int)
        case leaveOut
    }

    private var secondBegan: Duration?
    private var lines = 0
    private var leftOut = 0

    mutating func decide(at uptime: Duration) -> Decision {
        if secondBegan.map({ uptime - $0 >= .seconds(1) }) ?? true {
            secondBegan = uptime
            lines = 0
        }
        guard lines < Self.linesMax else {
            leftOut += 1
            return .leaveOut
        }
        lines += 1
        defer { leftOut = 0 }
        return .write(leftOut: leftOut)
    }
}
