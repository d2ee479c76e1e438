/// The answer of one rule to one charge.
struct LimitAnswer: Hashable, Sendable {
    var isLimited = false
    /// When a charge can succeed again, in milliseconds since 1970. Nil if it can now; in a limited
    /// answer nil means only after a reset.
    var retryAt: Int64?
    /// Charges left after this one.
    var remaining = 0
    /// The number of this charge in the current count, from 1.
    var attempt = 1
    /// When the state would no longer count if this were the last charge; nil for never.
    var resetAt: Int64?
}
