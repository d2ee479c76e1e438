/// What may be expected of one address of a service right now.
enum EndpointCondition: Hashable {
    /// Connected, says it serves, and its breaker lets calls pass.
    case serving
    /// Connected, and says it does not serve, or has not said anything yet.
    case unhealthy
    /// No connection stands.
    case unreachable
    /// Its breaker lets nothing pass before this moment.
    case barred(until: Duration)
}

/// Chooses among the addresses of a service: round robin over those that serve. When none says so,
/// any that is connected is taken, since a health check that is wrong everywhere must not stop
/// everything (Envoy calls it panic mode).
struct Balancer {
    /// Where a call goes.
    enum Choice: Hashable {
        case endpoint(Int)
        /// Nobody is connected: wait for the first who is.
        case wait
        /// Every breaker is open, and the first lets a call pass at this moment.
        case barred(until: Duration)
    }

    private var next = 0

    /// Chooses one of `count` addresses, another than `avoided` if one serves: that one has just
    /// not served this very call. A second try takes nobody's turn, or the first tries of all calls
    /// would fall to the one that fails.
    mutating func choose(
        among count: Int, avoiding avoided: Int? = nil, _ condition: (Int) -> EndpointCondition
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

    /// Another than `avoided` that serves, if there is one; takes nobody's turn.
    func other(
        among count: Int, than avoided: Int, _ condition: (Int) -> EndpointCondition
    ) -> Int? {
        (0..<count).lazy.map { (next + $0) % count }.first {
            $0 != avoided && condition($0) == .serving
        }
    }
}
