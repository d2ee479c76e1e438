import RateLimitService
import ServiceRuntime

/// Hashed keys of a limit, with the loops that measure a table by them.
struct LimitsKeys: Sendable {
    private let batches: [[LimitRequest]]
    private let rule: LimitRule

    /// `count` requests held ready, each of another subject.
    init(count: Int, rule: LimitRule) {
        self.rule = rule
        batches = (0..<count).map { [Self.request($0, rule)] }
    }

    /// One held ready.
    func batch(_ place: Int) -> [LimitRequest] { batches[place] }

    /// One made anew.
    func request(_ subject: Int) -> [LimitRequest] { [Self.request(subject, rule)] }

    /// Charges one after the other on this core, for so long. Time goes on with each
    /// round over the keys, so that charges are allowed and old ones leave.
    func decisionsPerSecond(
        _ table: LimitTable, for duration: Duration, at start: Timestamp
    ) -> Double {
        let clock = ContinuousClock()
        let began = clock.now
        var done = 0
        var now = start
        while clock.now - began < duration {
            for batch in batches { _ = table.decide(.consume, batch, at: now) }
            done += batches.count
            now = now + .seconds(200)
        }
        return Double(done) / ((clock.now - began) / .seconds(1))
    }

    /// The 99th percentile of a hundred thousand peeks at subjects in no order, in nanoseconds; the
    /// clock's own time is in it.
    func slowest(_ table: LimitTable, among count: Int? = nil, at now: Timestamp) -> Double {
        let clock = ContinuousClock()
        let subjects = count ?? batches.count
        var times: [Duration] = []
        var subject = 1
        for _ in 0..<100_000 {
            subject = (subject &* 6_364_136_223_846_793_005 &+ 1) & .max
            let batch = request(subject % subjects)
            let began = clock.now
            _ = table.decide(.peek, batch, at: now)
            times.append(clock.now - began)
        }
        times.sort()
        return times[times.count / 100 * 99] / .nanoseconds(1)
    }

    /// Hashes as a keyed hash spreads them: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    private static func request(_ subject: Int, _ rule: LimitRule) -> LimitRequest {
        func mix(_ value: UInt64) -> UInt64 {
            var mixed = value
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        let high = mix(UInt64(subject) &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        return LimitRequest(
            key: LimitKey(limit: 1, high: high, low: mix(high)), rule: rule, isShadow: false)
    }
}
