import Contracts
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: one site cannot switch the stuffing alarm", .timeLimit(.minutes(2)))
struct StuffingSiteTests {
    private let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    private var isOn: Bool {
        let now = fixture.time.now()
        let rule = CredentialStuffingRule(LimitName.signInFailuresOverall.rule)
        return fixture.service.limits.alarm.withLock { $0.isOn(at: now, rule) }
    }

    /// A wrong password for another account each time, from an unknown device.
    @discardableResult
    private func attempt(
        _ number: Int, from address: String
    ) async throws -> (limit: LimitName, LimitVerdict) {
        var charges = [
            ("failed-sign-in-by-account", "user\(number)@example.org"),
            ("failed-sign-in-by-address", address),
            ("failed-sign-in-by-device", "\(address)|d\(number)"),
        ]
        if address.contains(":") { charges.append(("failed-sign-in-by-site", address)) }
        return try await fixture.decide(charges, from: address)
    }

    /// Failures from enough networks to raise the alarm.
    private func raise() async throws {
        for number in 0..<500 { try await attempt(number, from: "10.0.\(number / 10).7") }
        try #require(isOn)
    }

    @Test("R-06: an attempt that counts only towards the alarm is no hit of a limit in shadow mode")
    func noShadowHit() async throws {
        for number in 0..<10 { try await attempt(number, from: "198.51.100.7") }
        let plan = try fixture.service.limits.plan(
            RequestedCharge.read(
                LimitsFixture.message([
                    ("failed-sign-in-by-account", "ada@example.org"),
                    ("failed-sign-in-by-address", "198.51.100.7"),
                ])),
            namedBy: .site("198.51.100.7"), at: fixture.time.now())
        let verdict = fixture.service.limits.table.apply(
            .consume, plan.requests, at: fixture.time.now())
        #expect(!verdict.isLimited && !plan.isCountedTowardsAlarm(verdict))
        #expect(plan.shadowHits(verdict, .standard).isEmpty)
        let tried = LimitPolicies {
            LimitPolicy(rule: $0.rule, isShadow: $0 == .signInFailuresBySite)
        }
        #expect(plan.shadowHits(verdict, tried) == [.signInFailuresBySite])
    }

    @Test(
        "M1: one address, /24 or /48 raises no alarm, however often it fails",
        arguments: ["198.51.100.7", "198.51.100.%", "2001:db8:1:%::1"])
    func raises(network: String) async throws {
        for number in 0..<2_000 {
            try await attempt(
                number, from: network.replacing("%", with: "\(number % 200)"))
            fixture.time.advance(by: .milliseconds(250))
        }
        #expect(!isOn)
    }

    @Test("B12: ten addresses raise no alarm; fifty networks with ten failures each do")
    func many() async throws {
        for number in 0..<500 { try await attempt(number, from: "10.0.\(number % 10).7") }
        #expect(!isOn)
        // The ten addresses have reached their own limits too.
        fixture.time.advance(by: .seconds(900))
        try await raise()
    }

    @Test("M1: one /48 with 500 calls in each window does not keep the alarm on")
    func keeps() async throws {
        try await raise()
        for number in 0..<2_500 {
            try await attempt(1_000 + number, from: "2001:db8:1:\(number % 200)::1")
            fixture.time.advance(by: .milliseconds(1_200))
        }
        #expect(!isOn)
    }

    @Test("M1: during the alarm one site gets one evaluated sign-in, and owners get the others")
    func lane() async throws {
        try await raise()
        fixture.time.advance(by: .seconds(60))
        for number in 0..<100 {
            try await attempt(1_000 + number, from: "2001:db8:1:\(number)::1")
        }
        for owner in 0..<3 {
            let account = "owner\(owner)@example.org"
            let (decision, id) = try await fixture.consume(
                .failedSignInByAccount, account, device: "new", from: "192.0.\(owner).1")
            #expect(!decision.limited)
            try fixture.succeed(id, .failedSignInByAccount, account, device: "new")
        }
    }

    @Test("M1: an attempt that the alarm's limit rejects is charged to its address")
    func charged() async throws {
        try await raise()
        let address = "198.51.100.7"
        for number in 0..<60 { try await attempt(1_000 + number, from: address) }
        let decision = try fixture.peek(.failedSignInByAddress, address)
        #expect(decision.limited)
        #expect(try fixture.peek(.failedSignInByAddress, "198.51.100.8").remaining == 49)
    }

    @Test("M1: a right password from a site at its maximum subtracts nothing from the alarm")
    func takenBack() async throws {
        for number in 0..<480 { try await attempt(number, from: "10.0.\(number / 10).7") }
        let address = "198.51.100.7"
        for number in 480..<490 { try await attempt(number, from: address) }
        for _ in 0..<50 {
            let (_, id) = try await fixture.consume(
                [("failed-sign-in-by-account", "mallory@example.org")], from: address)
            try fixture.succeed(id, .failedSignInByAccount, "mallory@example.org")
        }
        for number in 490..<499 { try await attempt(number, from: "203.0.113.7") }
        #expect(!isOn)
        try await attempt(499, from: "203.0.113.7")
        #expect(isOn)
    }
}
