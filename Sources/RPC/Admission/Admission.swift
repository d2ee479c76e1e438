import ServiceRuntime

/// The admission limiters of a server, one for each lane.
struct Admission: Sendable {
    private let ordinary: LaneLimiter
    private let costly: LaneLimiter
    private let watching: LaneLimiter
    private let admin: LaneLimiter

    init(_ limits: ServerLimits, time: any Time) {
        ordinary = LaneLimiter(.ordinary, limits, time: time)
        costly = LaneLimiter(.costly, limits, time: time)
        watching = LaneLimiter(.watching, limits, time: time)
        admin = LaneLimiter(.admin, limits, time: time)
    }

    subscript(lane: MethodLane) -> LaneLimiter {
        switch lane {
        case .ordinary: ordinary
        case .costly: costly
        case .watching: watching
        case .admin: admin
        }
    }

    /// Handlers that have not returned, in all lanes.
    var runningCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].runningCount } }

    /// Waiting calls, in all lanes.
    var waitingCount: Int { MethodLane.allCases.reduce(0) { $0 + self[$1].waitingCount } }
}

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
