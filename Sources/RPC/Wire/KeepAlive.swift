/// Tells a peer that is only quiet from one that is gone (Protos/README.md, "Connection" 3): after
/// a silence it is pinged, and after a longer one left. Anything it sends is a sign of life.
struct KeepAlive {
    /// What to do now.
    enum Step {
        case wait
        case ping
        case close
    }

    /// When to look again, on the uptime clock.
    private(set) var due: Duration
    /// Whether a Pong may come.
    private(set) var isPinged = false
    private var hasHeard = false
    private let idle: Duration

    /// Begins at `uptime`; `floor` is the shortest time between two pings that the peer accepts.
    init(at uptime: Duration, floor: Duration) {
        idle = max(FrameLimits.keepaliveIdle, floor)
        due = uptime + idle
    }

    /// Bytes came.
    mutating func received() { hasHeard = true }

    /// Looks whether something came since the last look, if it is time to.
    mutating func look(at uptime: Duration) -> Step {
        guard due <= uptime else { return .wait }
        defer { hasHeard = false }
        if hasHeard {
            isPinged = false
            due = uptime + idle
            return .wait
        }
        if isPinged { return .close }
        isPinged = true
        due = uptime + FrameLimits.pongPatience
        return .ping
    }
}
