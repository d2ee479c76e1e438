/// A class of methods with a bound of its own, so that a flood of one kind of call leaves room for
/// the others.
package enum MethodLane: String, CaseIterable, Sendable {
    /// What most methods are.
    case ordinary
    /// Methods that hold their place for long because they work hard or wait for what is scarce
    /// (password hashes): 500 of them at once must not hold up a refresh.
    case costly
    /// Methods that stay open for as long as somebody watches; they hold a place and do little.
    case watching
    /// Health, reflection and the operator's tool. Shedding never touches it: whoever looks why a
    /// service is overloaded must get in.
    case admin

    /// From this default deadline on a method is one to watch with: calls are of seconds.
    static let watchingTimeout = Duration.seconds(600)

    /// Names that begin so are the operator's.
    static let adminPrefixes = ["postern.health.", "postern.reflection."]

    /// The lane of `method`, for callers that are not the operator.
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
