/// A priority class of methods with its own limits, so that a flood of one kind of call leaves
/// capacity for the others.
package enum MethodLane: String, CaseIterable, Sendable {
    /// Most methods.
    case ordinary
    /// Methods that hold their slot for long, because they do much work or wait for a scarce
    /// resource (password hashes): 500 of them at once must not delay a token refresh.
    case costly
    /// Methods that stay open while a client watches; they hold a slot and do little.
    case watching
    /// Health, reflection and the operator's tool. Load in the other lanes never sheds these calls,
    /// so that an operator can examine an overloaded service.
    case admin

    /// Methods with a default timeout from this on count as watches; other calls take seconds.
    static let watchingTimeout = Duration.seconds(600)

    /// Methods with these name prefixes are for the operator.
    static let adminPrefixes = ["postern.health.", "postern.reflection."]

    /// The lane of `method`, for callers other than the operator.
    init(of method: MethodDescription) {
        if method.isWatch || method.timeout >= Self.watchingTimeout {
            self = .watching
        } else if Self.adminPrefixes.contains(where: method.name.hasPrefix) {
            self = .admin
        } else {
            self = method.isCostly ? .costly : .ordinary
        }
    }
}
