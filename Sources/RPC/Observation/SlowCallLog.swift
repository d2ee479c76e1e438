package import Logging
import ServiceRuntime
import Synchronization

/// Logs slow calls, at most ten lines a second, and then how many were suppressed. When all calls
/// are slow, the log must not make them slower.
package final class SlowCallLog: Sendable {
    private let threshold: Duration
    private let logger: Logger
    private let budget = Mutex(Budget())

    /// A log of calls that take `threshold` or longer.
    package init(threshold: Duration, logger: Logger) {
        self.threshold = threshold
        self.logger = logger
    }

    /// Logs the call if it was slow.
    func record(_ took: Duration, at uptime: Duration, _ call: () -> Call) {
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

    /// A slow call. It contains nothing of the request or response.
    struct Call {
        let method: String
        var status: StatusCode?
        var trace: String?
    }

    /// Rate limit of the log: `linesMax` lines a second.
    struct Budget {
        /// Lines in one second; enough to see which methods are slow.
        static let linesMax = 10

        enum Decision: Equatable {
            /// Log it; `leftOut` lines were suppressed before.
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
}
