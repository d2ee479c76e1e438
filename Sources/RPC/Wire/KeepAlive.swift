/// Detects dead peers (Protos/README.md, "Connection" 3). An idle peer is pinged; without an answer
/// the connection is closed. Any bytes from the peer show that it is alive.
struct KeepAlive {
    /// The action to take now.
    enum Step {
        case wait
        case ping
        case close
    }

    /// When to check next, on the uptime clock.
    private(set) var due: Duration
    /// Whether a ping is unanswered.
    private(set) var isPinged = false
    private var hasHeard = false
    private let idle: Duration

    /// Starts at `uptime`; `floor` is the shortest time between two pings that the peer accepts.
    init(at uptime: Duration, floor: Duration) {
        idle = max(FrameLimits.keepaliveIdle, floor)
        due = uptime + idle
    }

    /// Records that bytes arrived.
    mutating func received() { hasHeard = true }

    /// If a check is due, decides by whether bytes arrived since the last one.
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
