/// Distinguishes a burst, which a queue is meant to absorb, from a standing queue, which only adds
/// delay. It uses the minimum wait over a window, as CoDel does (Nichols and Jacobson, "Controlling
/// Queue Delay", 2012). In a burst the queue drains, so some call waits only briefly. If even the
/// shortest wait is long, more calls arrive than are served.
struct CoDel {
    /// A minimum wait up to this is no overload.
    static let target = Duration.milliseconds(10)
    /// The window over which the minimum is taken.
    static let window = Duration.milliseconds(100)

    private(set) var isOverloaded = false
    private var shortest: Duration?
    private var windowEnd = Duration.zero

    /// The queue was empty and has a first waiter: resets the state.
    mutating func began(at uptime: Duration) {
        isOverloaded = false
        shortest = nil
        windowEnd = uptime + Self.window
    }

    /// A call was admitted when the oldest had waited `wait`. The oldest's wait is used, because in
    /// overload the admitted call is the newest.
    mutating func left(afterOldest wait: Duration) {
        shortest = min(shortest ?? wait, wait)
    }

    /// Evaluates the window if it has ended. If no call was admitted in it, the oldest's current
    /// wait is used.
    mutating func look(oldest wait: Duration, at uptime: Duration) {
        guard uptime >= windowEnd else { return }
        isOverloaded = shortest ?? wait > Self.target
        shortest = nil
        windowEnd = uptime + Self.window
    }
}

/// Estimates how fast a queue drains, to predict the wait of a new call.
struct DrainRateEstimate {
    /// Weight of the newest gap in the moving average: an eighth, so that one slow handler has
    /// little effect.
    private static let weight = 8

    private var gap = Duration.zero
    private var last: Duration

    /// A queue whose first call arrived at `uptime`.
    init(from uptime: Duration) { last = uptime }

    /// A call was admitted.
    mutating func moved(at uptime: Duration) {
        let newest = uptime - last
        gap = gap == .zero ? newest : gap + (newest - gap) / Self.weight
        last = uptime
    }

    /// The expected wait of a call with `ahead` calls before it. A queue that has not moved for
    /// some time is not expected to move sooner than that.
    func wait(behind ahead: Int, at uptime: Duration) -> Duration {
        max(gap * (ahead + 1), uptime - last)
    }
}
