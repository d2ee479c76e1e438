/// The deadlines of a connection's peer, on the uptime clock.
struct ConnectionWatch {
    /// The action when a deadline has passed.
    enum Overdue {
        case slowHello
        case slowFrame
        case close
    }

    /// Deadline for the Hello.
    var helloDue: Duration?
    /// Deadline for a partial frame to become complete.
    var partialDue: Duration?
    /// Deadline for the peer to read some of the pending output.
    var outboundDue: Duration?
    /// End of the drain.
    var drainDue: Duration?
    /// End of discarding input after a GoAway.
    var lingerDue: Duration?
    /// Bytes discarded since the GoAway.
    var lingeredBytes = 0
    /// When the current timer will fire.
    var armedFor: Duration?

    /// The earliest of these deadlines and of two others. It is called after every read, so it
    /// allocates no array.
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

/// Limits pings: a peer that sends pings more often than the keepalive floor gets a GoAway, because
/// each costs the server a wake-up.
struct PingRateLimiter {
    private var last: Duration?
    private var earlyCount = 0

    /// Whether a ping at `uptime` may be answered.
    mutating func allows(at uptime: Duration) -> Bool {
        defer { last = uptime }
        guard let last, uptime - last < FrameLimits.keepaliveFloor else {
            earlyCount = 0
            return true
        }
        earlyCount += 1
        return earlyCount <= FrameLimits.earlyPingsMax
    }
}
