/// A provider's rate: so many calls a second, of which those of one second may come at once
/// (GCRA, the generic cell rate algorithm of ITU-T I.371). Pure: uptimes go in.
struct ProviderRateLimiter: Sendable {
    /// Calls whose turns may be saved up, in time.
    private static let burst: Duration = .seconds(1)

    /// Between two calls; nil without a limit.
    private let interval: Duration?
    /// When the next call would be on time if all came evenly; in the past after a rest.
    private var due: Duration = .zero

    /// So many calls a second; nil, or nothing sensible, for no limit.
    init(rate: Double?) {
        interval = rate.flatMap { $0 > 0 ? .seconds(1) / $0 : nil }
    }

    /// Takes a turn.
    /// - Returns: nil when it was there; otherwise when the next one is.
    mutating func take(at uptime: Duration) -> Duration? {
        guard let interval else { return nil }
        let next = next(at: uptime)
        guard next <= uptime else { return next }
        due = max(due, uptime) + interval
        return nil
    }

    /// How many turns there are.
    func room(at uptime: Duration) -> Int {
        guard let interval else { return .max }
        let saved = uptime + slack(interval) - max(due, uptime)
        return saved < .zero ? 0 : Int(clamping: Int64(saved / interval)) + 1
    }

    /// When there is a turn; `uptime` for at once.
    func next(at uptime: Duration) -> Duration {
        guard let interval else { return uptime }
        return max(uptime, due - slack(interval))
    }

    /// A provider slower than one call a burst still takes one.
    private func slack(_ interval: Duration) -> Duration { max(.zero, Self.burst - interval) }
}
