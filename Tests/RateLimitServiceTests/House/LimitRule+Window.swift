import RateLimitService

extension LimitRule {
    /// The span of a ring or a rate.
    var window: Duration {
        switch self {
        case .ring(_, let window), .rate(_, let window): window
        case .ladder, .lock: .zero
        }
    }
}
