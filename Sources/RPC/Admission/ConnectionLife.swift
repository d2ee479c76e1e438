/// How long a healthy connection may live: up to an age, and up to a time without calls. Either way
/// it is drained, so no call fails for it.
struct ConnectionLife {
    /// Why a connection is to be drained.
    enum End {
        case old
        case idle
    }

    private let ageDue: Duration?
    private let idleMax: Duration?
    /// When the last call began.
    private var lastCall: Duration
    private var idleDue: Duration?
    private var isEnded = false

    /// Begins at `uptime`; `jitter` is a random number, which moves the age by up to a tenth, so
    /// that connections made together do not end together.
    init(at uptime: Duration, _ limits: ServerLimits, jitter: UInt64) {
        let thousandths = 900 + Int(jitter % 201)
        ageDue = limits.connectionAgeMax.map { uptime + $0 / 1_000 * thousandths }
        idleMax = limits.connectionIdleMax
        lastCall = uptime
        idleDue = idleMax.map { uptime + $0 }
    }

    /// A call began.
    mutating func called(at uptime: Duration) { lastCall = uptime }

    /// When to look again.
    var due: Duration? {
        guard !isEnded else { return nil }
        guard let ageDue, let idleDue else { return ageDue ?? idleDue }
        return min(ageDue, idleDue)
    }

    /// Whether the connection is over, with so many calls running. Told once.
    mutating func look(at uptime: Duration, runningCount: Int) -> End? {
        guard let due, due <= uptime else { return nil }
        if let ageDue, ageDue <= uptime { return ended(.old) }
        guard let idleMax else { return nil }
        if runningCount == 0, lastCall + idleMax <= uptime { return ended(.idle) }
        // Looked at again when it could be idle for so long; a call that runs is none of that.
        idleDue = (runningCount == 0 ? lastCall : uptime) + idleMax
        return nil
    }

    private mutating func ended(_ end: End) -> End {
        isEnded = true
        return end
    }
}
