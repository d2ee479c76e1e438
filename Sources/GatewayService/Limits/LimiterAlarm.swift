import CoreMetrics
import Logging
import ServiceRuntime
import Synchronization

/// Tells that the limiter cannot be reached: each fallback in the metrics, and in the log when it
/// begins and when it is over, however many calls there are between.
final class LimiterAlarm: Sendable {
    private let logger: Logger
    private let counters: [LimitedFlow: [LimiterFailure: Counter]]
    /// Fallbacks since it began; nil while the limiter answers.
    private let fallbacks = Mutex<Int?>(nil)

    init(logger: Logger) {
        self.logger = logger
        counters = Dictionary(
            uniqueKeysWithValues: LimitedFlow.allCases.map { ($0, Self.counters($0)) })
    }

    /// A flow had to do without an answer.
    func fellBack(_ flow: LimitedFlow, _ failure: LimiterFailure, _ error: ServiceError) {
        counters[flow]?[failure]?.increment()
        let isFirst = fallbacks.withLock { fallbacks in
            defer { fallbacks = (fallbacks ?? 0) + 1 }
            return fallbacks == nil
        }
        guard isFirst else { return }
        logger.error(
            "limits.unavailable", "the rate limiter is unreachable",
            fields: [.detail: .error(error)])
    }

    /// The limiter answered.
    func answered() {
        let count = fallbacks.withLock { fallbacks in
            defer { fallbacks = nil }
            return fallbacks
        }
        guard let count else { return }
        logger.info(
            "limits.available", "the rate limiter is reachable again",
            fields: [.count: .count(count)])
    }

    private static func counters(_ flow: LimitedFlow) -> [LimiterFailure: Counter] {
        Dictionary(
            uniqueKeysWithValues: LimiterFailure.allCases.map { failure in
                let labels = [("flow", flow.rawValue), ("outcome", failure.rawValue)]
                return (failure, Counter(label: "limiter_fallbacks", dimensions: labels))
            })
    }
}
