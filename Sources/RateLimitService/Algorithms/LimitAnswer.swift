/// What one rule says of one charge.
struct LimitAnswer: Hashable, Sendable {
    var isLimited = false
    /// When a charge can work again, in milliseconds since 1970; nil when it can now, or, where
    /// limited, not before a reset.
    var retryAt: Int64?
    /// Charges left after this one.
    var remaining = 0
    /// Which one in the running count this is, from 1.
    var attempt = 1
    /// When nothing counts any more, were this the last charge; nil for never.
    var resetAt: Int64?
}
