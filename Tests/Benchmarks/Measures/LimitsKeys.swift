import Contracts
import RateLimitService
import ServiceRuntime

/// Hashed keys of a limit, and the loops that measure a table with them.
struct LimitsKeys: Sendable {
    /// Decisions between two reads of the clock.
    private static let loop = 1_000
    private static let peeks = 100_000

    /// The number of subjects.
    let count: Int
    private let template: LimitRequest

    init(count: Int, rule: LimitRule) {
        self.count = count
        template = LimitRequest(
            key: LimitKey(limit: 1, high: 0, low: 0), rule: rule, isShadow: false)
    }

    /// The request for a subject.
    func request(_ subject: Int) -> LimitRequest {
        let high = Self.mix(UInt64(subject) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        return template.about(LimitKey(limit: 1, high: high, low: Self.mix(high)))
    }

    /// Charges subjects in pseudorandom order, one after the other on this core, for `duration`.
    /// The clock advances by 400 s for as many charges as there are subjects, so that nearly all
    /// are allowed and old ones expire.
    func decisionsPerSecond(
        _ table: LimitTable, for duration: Duration, at start: Timestamp
    ) -> Double {
        let clock = ContinuousClock()
        let began = clock.now
        var done = 0
        while clock.now - began < duration {
            let now = start + .milliseconds(done * 400_000 / count)
            for step in done..<done + Self.loop {
                _ = table.apply(.consume, request(any(step)), at: now)
            }
            done += Self.loop
        }
        return Double(done) / ((clock.now - began) / .seconds(1))
    }

    /// The 99th percentile of a hundred thousand peeks at subjects in pseudorandom order, in
    /// nanoseconds, including the time to read the clock.
    func slowest(_ table: LimitTable, at now: Timestamp) -> Double {
        let clock = ContinuousClock()
        var times: [Duration] = []
        times.reserveCapacity(Self.peeks)
        for step in 0..<Self.peeks {
            let request = request(any(step))
            let began = clock.now
            _ = table.apply(.peek, request, at: now)
            times.append(clock.now - began)
        }
        times.sort()
        return times[times.count / 100 * 99] / .nanoseconds(1)
    }

    /// A subject, another for each step.
    private func any(_ step: Int) -> Int {
        let mixed = Self.mix(UInt64(step) &+ 0x5851_F42D_4C95_7F2D)
        return Int(mixed.multipliedFullWidth(by: UInt64(count)).high)
    }

    /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): distributes as evenly as a keyed hash.
    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
