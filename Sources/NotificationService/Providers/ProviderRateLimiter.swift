/// A provider's rate limit: a number of calls per second, with a burst of one second's worth (GCRA,
/// the generic cell rate algorithm of ITU-T I.371). Pure: the caller passes the uptime.
struct ProviderRateLimiter: Sendable {
    /// The burst, as a duration.
    private static let burst: Duration = .seconds(1)

    /// The interval between two calls; nil without a limit.
    private let interval: Duration?
    /// The theoretical arrival time of the next call. In the past after a pause.
    private var due: Duration = .zero

    /// A number of calls per second; nil, or a rate that is not positive, for no limit.
    init(rate: Double?) {
        interval = rate.flatMap { $0 > 0 ? .seconds(1) / $0 : nil }
    }

    /// Takes one call from the rate.
    /// - Returns: nil if it was allowed; otherwise when the next one is.
    mutating func take(at uptime: Duration) -> Duration? {
        guard let interval else { return nil }
        let next = next(at: uptime)
        guard next <= uptime else { return next }
        due = max(due, uptime) + interval
        return nil
    }

    /// How many calls are allowed now.
    func available(at uptime: Duration) -> Int {
        guard let interval else { return .max }
        let saved = uptime + slack(interval) - max(due, uptime)
        return saved < .zero ? 0 : Int(clamping: Int64(saved / interval)) + 1
    }

    /// When a call is allowed next; `uptime` if it is now.
    func next(at uptime: Duration) -> Duration {
        guard let interval else { return uptime }
        return max(uptime, due - slack(interval))
    }

    /// A provider with an interval longer than the burst is still allowed one call.
    private func slack(_ interval: Duration) -> Duration { max(.zero, Self.burst - interval) }
}
