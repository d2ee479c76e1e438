import CoreMetrics
import Logging
import ServiceRuntime
import Synchronization

/// Reports that the rate limiter does not answer: each fallback in the metrics; in the log only the
/// first and the recovery, however many calls are between them.
final class LimiterAlarm: Sendable {
    private let logger: Logger
    private let counters: [LimitedFlow: [LimiterFailure: Counter]]
    /// The number of fallbacks since the first; nil while the rate limiter answers.
    private let fallbacks = Mutex<Int?>(nil)

    init(logger: Logger) {
        self.logger = logger
        counters = Dictionary(
            uniqueKeysWithValues: LimitedFlow.allCases.map { ($0, Self.counters($0)) })
    }

    /// A flow got no answer from the rate limiter.
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

    /// The rate limiter answered.
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
