import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("When a provider's keys are fetched")
struct JWKSRefreshPolicyTests {
    private typealias Decision = JWKSRefreshPolicy.Decision
    private static let start: Duration = .seconds(1_000)
    private static let life: Duration = .seconds(1_000)
    /// Half of the jitter's range, which means no jitter.
    private static let noJitter: UInt64 = 200

    /// Keys that were fetched at `start`.
    private static var held: JWKSRefreshPolicy {
        var fetches = JWKSRefreshPolicy()
        fetches.begin(at: start)
        fetches.succeeded(life: life)
        return fetches
    }

    /// The same, with a fetch that failed at `moment`.
    private static func failing(since moment: Duration) -> JWKSRefreshPolicy {
        var fetches = held
        fetches.begin(at: moment)
        _ = fetches.failed(at: moment, jitter: noJitter)
        return fetches
    }

    /// The same, with a fetch that has been running since `moment`.
    private static func running(since moment: Duration) -> JWKSRefreshPolicy {
        var fetches = held
        fetches.begin(at: moment)
        return fetches
    }

    private func at(_ seconds: Double) -> Duration { Self.start + .seconds(seconds) }

    @Test(
        "after a successful fetch the age of the cached keys decides",
        arguments: [
            (0, true, Decision.use), (749.9, true, .use), (750, true, .useAndFetch),
            (999.9, true, .useAndFetch), (1_000, true, .fetchAndWait),
            (87_399, true, .fetchAndWait), (87_400, true, .fetchAndWait),
            (0, false, .unknown), (29.9, false, .unknown), (30, false, .fetchAndWait),
            (1_000, false, .fetchAndWait), (87_400, false, .fetchAndWait),
        ] as [(Double, Bool, JWKSRefreshPolicy.Decision)])
    private func ages(seconds: Double, isKnown: Bool, decision: JWKSRefreshPolicy.Decision) {
        #expect(Self.held.decision(isKnown: isKnown, at: at(seconds)) == decision)
    }

    @Test("callers wait for a running fetch if they need its keys, and never start a second one")
    func running() {
        let ageing = Self.running(since: at(750))
        #expect(ageing.decision(isKnown: true, at: at(751)) == .use)
        #expect(ageing.decision(isKnown: false, at: at(751)) == .wait)
        #expect(ageing.decision(isKnown: false, at: at(5_000)) == .wait)
        #expect(ageing.decision(isKnown: true, at: at(1_000)) == .wait)
        #expect(ageing.decision(isKnown: true, at: at(87_400)) == .wait)
        var first = JWKSRefreshPolicy()
        #expect(first.decision(isKnown: false, at: .zero) == .fetchAndWait)
        first.begin(at: .zero)
        #expect(first.decision(isKnown: false, at: .seconds(3)) == .wait)
    }

    @Test("while fetches fail, cached keys are used for a day, and no caller waits")
    func failing() {
        let overdue = Self.failing(since: at(2_000))
        #expect(overdue.decision(isKnown: true, at: at(2_000.9)) == .use)
        #expect(overdue.decision(isKnown: true, at: at(2_001)) == .useAndFetch)
        #expect(overdue.decision(isKnown: true, at: at(87_399.9)) == .useAndFetch)
        #expect(
            overdue.decision(isKnown: true, at: at(87_400)) == .fetchAndWait,
            "too old to be trusted")
        let soon = Self.failing(since: at(87_400))
        #expect(
            soon.decision(isKnown: true, at: at(87_400.5))
                == .unavailable(retryAfter: .milliseconds(500)))
        #expect(soon.decision(isKnown: true, at: at(87_401)) == .fetchAndWait)
        var again = overdue
        again.begin(at: at(2_001))
        #expect(again.decision(isKnown: true, at: at(2_001)) == .use)
    }

    @Test("while fetches fail, an unknown key is unavailable, since it may be new")
    func unknownWhileFailing() {
        let fetches = Self.failing(since: at(100))
        #expect(
            fetches.decision(isKnown: false, at: at(100))
                == .unavailable(retryAfter: .seconds(30)))
        #expect(
            fetches.decision(isKnown: false, at: at(129))
                == .unavailable(retryAfter: .seconds(1)),
            "one fetch in 30 s, even after a failure")
        #expect(fetches.decision(isKnown: false, at: at(130)) == .fetchAndWait)
        #expect(fetches.decision(isKnown: true, at: at(130)) == .use)
    }

    @Test("the backoff doubles up to five minutes, and a success resets it")
    func backoff() {
        var fetches = JWKSRefreshPolicy()
        var waits: [Duration] = []
        for _ in 0..<12 {
            fetches.begin(at: .zero)
            waits.append(fetches.failed(at: .zero, jitter: Self.noJitter))
        }
        #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(waits.suffix(2) == [.seconds(300), .seconds(300)])
        fetches.begin(at: .zero)
        fetches.succeeded(life: Self.life)
        fetches.begin(at: .seconds(60))
        #expect(fetches.failed(at: .seconds(60), jitter: Self.noJitter) == .seconds(1))
    }

    @Test(
        "a key set's life starts with its fetch, so a slow response does not extend it"
    )
    func slow() {
        var fetches = JWKSRefreshPolicy()
        fetches.begin(at: Self.start)
        fetches.succeeded(life: .seconds(300))
        #expect(fetches.decision(isKnown: true, at: Self.start + .seconds(300)) == .fetchAndWait)
    }
}
