/// Tells a burst, which a queue is there for, from a queue that stands, in which everybody waits
/// for nothing gained: the shortest wait over a window, as CoDel has it (Nichols and Jacobson,
/// "Controlling Queue Delay", 2012). A burst is worked off, so somebody waits briefly; where even
/// the luckiest has waited long, more comes in than goes out.
struct CoDel {
    /// A wait that is too short to mean anything.
    static let target = Duration.milliseconds(10)
    /// How long it must last.
    static let window = Duration.milliseconds(100)

    private(set) var isOverloaded = false
    private var shortest: Duration?
    private var windowEnd = Duration.zero

    /// Somebody waits where nobody did: what was, is over.
    mutating func began(at uptime: Duration) {
        isOverloaded = false
        shortest = nil
        windowEnd = uptime + Self.window
    }

    /// One was let in when the oldest had waited so long. The oldest's wait is what tells, since
    /// in overload the one let in is the newest.
    mutating func left(afterOldest wait: Duration) {
        shortest = min(shortest ?? wait, wait)
    }

    /// Ends the window if it is over. Where nobody was let in, the oldest's wait counts.
    mutating func look(oldest wait: Duration, at uptime: Duration) {
        guard uptime >= windowEnd else { return }
        isOverloaded = shortest ?? wait > Self.target
        shortest = nil
        windowEnd = uptime + Self.window
    }
}

/// How fast a queue moves, to say what a place in it is worth.
struct DrainRateEstimate {
    /// Weight of the newest gap in the mean: an eighth, so that one slow handler is no trend.
    private static let weight = 8

    private var gap = Duration.zero
    private var last: Duration

    /// A queue whose first waiter came at `uptime`.
    init(from uptime: Duration) { last = uptime }

    /// One was let in.
    mutating func moved(at uptime: Duration) {
        let newest = uptime - last
        gap = gap == .zero ? newest : gap + (newest - gap) / Self.weight
        last = uptime
    }

    /// How long somebody with `ahead` others before it will likely wait. A queue that has not
    /// moved for long is not expected to move sooner.
    func wait(behind ahead: Int, at uptime: Duration) -> Duration {
        max(gap * (ahead + 1), uptime - last)
    }
}
