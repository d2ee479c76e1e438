import Contracts
import Messages
import RPC
import ServiceRuntime

extension LimitOperationHandler {
    /// Lists all limits with their current rules.
    func listLimits(
        _ request: RateLimitV1.ListLimitsRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ListLimitsResponse {
        try context.requireOperator()
        let policies = policies.value
        let limits = LimitName.allCases.sorted { $0.rawValue < $1.rawValue }
        return RateLimitV1.ListLimitsResponse(
            limits: limits.map { RateLimitV1.Limit($0, policies[$0]) })
    }
}

extension RateLimitV1.Limit {
    fileprivate init(_ limit: LimitName, _ policy: LimitPolicy) {
        self.init(
            name: limit.rawValue, rule: policy.rule.text, changed: policy.rule != limit.rule,
            shadow: policy.isShadow, durable: limit.definition.isDurable,
            internal: limit.isInternal, settings: limit.isOperators ? policy.settings(limit) : [])
    }
}

extension LimitPolicy {
    /// The policy as settings of the operator's file (`LimitOverrides`), as a start for a new one.
    func settings(_ limit: LimitName) -> [String] {
        let shadow = [("shadow", "\(isShadow)")]
        return (numbers + shadow).map { name, value in "\(limit.rawValue)-\(name): \(value)" }
    }

    private var numbers: [(String, String)] {
        switch rule {
        case .slidingWindow(let count, let window), .gcra(let count, let window):
            return [("count", "\(count)"), ("window", DurationText.write(window))]
        case .escalatingDelay(let delays, let quiet, let perDay):
            let list = delays.map(DurationText.write).joined(separator: ", ")
            return [
                ("delays", "[\(list)]"), ("quiet", DurationText.write(quiet)),
                ("per-day", "\(perDay)"),
            ]
        case .lockout(let attempts, let lockedFor, let failuresMax):
            return [
                ("attempts", "\(attempts)"), ("locked-for", DurationText.write(lockedFor)),
                ("failures-max", "\(failuresMax)"),
            ]
        }
    }
}
