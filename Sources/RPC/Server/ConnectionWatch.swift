/// The moments at which a connection's patience with its peer ends, on the uptime clock.
struct ConnectionWatch {
    /// What to do when a moment has come.
    enum Overdue {
        case slowHello
        case slowFrame
        case close
    }

    /// The Hello must have come.
    var helloDue: Duration?
    /// The begun frame must be whole.
    var partialDue: Duration?
    /// The peer must have taken some of what waits for it.
    var outboundDue: Duration?
    /// The draining is over.
    var drainDue: Duration?
    /// The discarding after a GoAway is over.
    var lingerDue: Duration?
    /// Bytes discarded since the GoAway.
    var lingeredBytes = 0
    /// When the timer that is set will fire.
    var armedFor: Duration?

    /// The first of the moments, and of two that others keep. Asked in every read turn, so it makes
    /// no array.
    func nextDue(or first: Duration?, or second: Duration?) -> Duration? {
        Self.sooner(
            Self.sooner(
                Self.sooner(helloDue, partialDue), Self.sooner(outboundDue, drainDue)),
            Self.sooner(lingerDue, Self.sooner(first, second)))
    }

    static func sooner(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one else { return other }
        return other.map { min(one, $0) } ?? one
    }

    func overdue(at uptime: Duration) -> Overdue? {
        func isOver(_ due: Duration?) -> Bool { due.map { $0 <= uptime } ?? false }
        if isOver(lingerDue) || isOver(drainDue) || isOver(outboundDue) { return .close }
        if isOver(helloDue) { return .slowHello }
        return isOver(partialDue) ? .slowFrame : nil
    }
}

/// Pings more often than the keepalive floor earn a GoAway: each costs the server a wake-up.
struct PingRateLimiter {
    private var last: Duration?
    private var strikes = 0

    /// Whether a ping at `uptime` may be answered.
    mutating func allows(at uptime: Duration) -> Bool {
        defer { last = uptime }
        guard let last, uptime - last < FrameLimits.keepaliveFloor else {
            strikes = 0
            return true
        }
        strikes += 1
        return strikes <= FrameLimits.pingStrikesMax
    }
}
