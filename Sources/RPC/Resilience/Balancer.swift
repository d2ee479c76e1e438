/// Chooses among the addresses of a service: round robin over those that serve. If none reports
/// serving, any connected one is used, because a health check that is wrong everywhere must not
/// stop everything (Envoy's panic mode).
struct Balancer {
    /// The address for a call.
    enum Choice: Hashable {
        case endpoint(Int)
        /// None is connected: wait for the first that is.
        case wait
        /// Every breaker is open; the first lets a call pass at this time.
        case barred(until: Duration)
    }

    private var next = 0

    /// Chooses one of `count` addresses, if possible another than `avoided`, which has just failed
    /// this call. A second try does not advance the round robin; otherwise the first tries of all
    /// calls would go to the failing address.
    mutating func choose(
        among count: Int, avoiding avoided: Int? = nil, _ condition: (Int) -> Condition
    ) -> Choice {
        var second: Int?
        var isSecondServing = false
        var isAnyAwaited = count == 0
        var soonest: Duration?
        for step in 0..<count {
            let index = (next + step) % count
            switch condition(index) {
            case .serving where index != avoided:
                if avoided == nil { next = (index + 1) % count }
                return .endpoint(index)
            case .serving:
                second = index
                isSecondServing = true
            case .unhealthy where !isSecondServing && (second == nil || second == avoided):
                second = index
            case .unhealthy: break
            case .unreachable: isAnyAwaited = true
            case .barred(let until): soonest = min(soonest ?? until, until)
            }
        }
        if let second {
            if avoided == nil { next = (second + 1) % count }
            return .endpoint(second)
        }
        if !isAnyAwaited, let soonest { return .barred(until: soonest) }
        return .wait
    }

    /// A serving address other than `avoided`, if there is one; does not advance the round robin.
    func other(
        among count: Int, than avoided: Int, _ condition: (Int) -> Condition
    ) -> Int? {
        (0..<count).lazy.map { (next + $0) % count }.first {
            $0 != avoided && condition($0) == .serving
        }
    }

    /// The current state of one address of a service.
    enum Condition: Hashable {
        /// Connected, reports serving, and its breaker is not open.
        case serving
        /// Connected, but reports not serving or has not reported yet.
        case unhealthy
        /// There is no connection.
        case unreachable
        /// Its breaker is open until this time.
        case barred(until: Duration)
    }
}
