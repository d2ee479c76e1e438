/// The maximum age and the maximum idle time of a healthy connection. In either case the connection
/// is drained, so that no call fails.
struct ConnectionLife {
    /// Why a connection must be drained.
    enum End {
        case old
        case idle
    }

    private let ageDue: Duration?
    private let idleMax: Duration?
    /// When the last call started.
    private var lastCall: Duration
    private var idleDue: Duration?
    private var isEnded = false

    /// Starts at `uptime`. The random number `jitter` changes the maximum age by up to a tenth, so
    /// that connections opened together do not end together.
    init(at uptime: Duration, _ limits: ServerLimits, jitter: UInt64) {
        let thousandths = 900 + Int(jitter % 201)
        ageDue = limits.connectionAgeMax.map { uptime + $0 / 1_000 * thousandths }
        idleMax = limits.connectionIdleMax
        lastCall = uptime
        idleDue = idleMax.map { uptime + $0 }
    }

    /// A call started.
    mutating func called(at uptime: Duration) { lastCall = uptime }

    /// When to check next.
    var due: Duration? {
        guard !isEnded else { return nil }
        guard let ageDue, let idleDue else { return ageDue ?? idleDue }
        return min(ageDue, idleDue)
    }

    /// Whether the connection must be drained, given the number of running calls. Returns it once.
    mutating func look(at uptime: Duration, runningCount: Int) -> End? {
        guard let due, due <= uptime else { return nil }
        if let ageDue, ageDue <= uptime { return ended(.old) }
        guard let idleMax else { return nil }
        if runningCount == 0, lastCall + idleMax <= uptime { return ended(.idle) }
        // Checks again at the earliest time when the idle limit can be reached; a running call
        // counts as activity.
        idleDue = (runningCount == 0 ? lastCall : uptime) + idleMax
        return nil
    }

    private mutating func ended(_ end: End) -> End {
        isEnded = true
        return end
    }
}
