import Contracts
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: credential stuffing is detected", .timeLimit(.minutes(1)))
struct CredentialStuffingDetectorTests {
    private static let rule = CredentialStuffingRule(.gcra(count: 100, window: .seconds(600)))
    private static let start = Timestamp(milliseconds: 1_767_225_600_000)

    /// Records `count` attempts at a second of the test. Returns how often the alarm was raised.
    private func record(_ alarm: inout CredentialStuffingDetector, _ count: Int, at second: Int)
        -> Int
    {
        (0..<count).reduce(0) { raised, _ in
            let isRaised = alarm.record(
                at: Self.start + .seconds(second), isEvaluated: false, Self.rule)
            return raised + (isRaised ? 1 : 0)
        }
    }

    private func expectRaised(
        _ alarm: inout CredentialStuffingDetector, _ count: Int, at second: Int, times: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let raised = record(&alarm, count, at: second)
        #expect(raised == times, sourceLocation: sourceLocation)
    }

    private func isOn(_ alarm: CredentialStuffingDetector, at second: Int) -> Bool {
        alarm.isOn(at: Self.start + .seconds(second), Self.rule)
    }

    @Test("R-03: the hundredth attempt in a window raises the alarm, once")
    func raised() {
        var alarm = CredentialStuffingDetector()
        expectRaised(&alarm, 99, at: 0, times: 0)
        #expect(!isOn(alarm, at: 599))
        expectRaised(&alarm, 1, at: 599, times: 1)
        #expect(isOn(alarm, at: 599))
        expectRaised(&alarm, 1_000, at: 599, times: 0)
    }

    @Test("R-03: the alarm lasts through the window after the last full one and then ends")
    func lasts() {
        var alarm = CredentialStuffingDetector()
        _ = record(&alarm, 100, at: 0)
        #expect(isOn(alarm, at: 600))
        expectRaised(&alarm, 100, at: 700, times: 0)
        expectRaised(&alarm, 99, at: 1_400, times: 0)
        #expect(isOn(alarm, at: 1_999))
        #expect(!isOn(alarm, at: 2_000))
        expectRaised(&alarm, 100, at: 2_000, times: 1)
    }

    @Test("R-03: after a pause of two windows nothing is carried over")
    func pause() {
        var alarm = CredentialStuffingDetector()
        _ = record(&alarm, 100, at: 0)
        #expect(isOn(alarm, at: 1_199))
        #expect(!isOn(alarm, at: 1_200))
    }

    @Test("R-03: a success is subtracted, unless its attempt raised the alarm")
    func takenBack() {
        var alarm = CredentialStuffingDetector()
        for _ in 0..<500 {
            expectRaised(&alarm, 1, at: 0, times: 0)
            alarm.refund(chargedAt: Self.start, isRight: true, Self.rule)
        }
        _ = record(&alarm, 100, at: 1)
        for _ in 0..<500 {
            alarm.refund(chargedAt: Self.start + .seconds(1), isRight: true, Self.rule)
        }
        #expect(isOn(alarm, at: 2))
    }

    @Test("R-03: a clock that goes backwards does not end the alarm")
    func backwards() {
        var alarm = CredentialStuffingDetector()
        _ = record(&alarm, 100, at: 0)
        #expect(isOn(alarm, at: -86_400))
        _ = record(&alarm, 1, at: -86_400)
        #expect(isOn(alarm, at: 0))
    }

    /// Records attempts that pass the alarm's limit. The first `right` of them are right.
    private func sample(
        _ alarm: inout CredentialStuffingDetector, _ count: Int, right: Int, at second: Int
    ) {
        let moment = Self.start + .seconds(second)
        for number in 0..<count {
            _ = alarm.record(at: moment, isEvaluated: true, Self.rule)
            if number < right { alarm.refund(chargedAt: moment, isRight: true, Self.rule) }
        }
    }

    @Test(
        "R-03: rejected attempts keep the alarm on only while half of the evaluated ones fail",
        arguments: [(4, 0, true), (4, 2, true), (5, 3, false), (40, 36, false), (0, 0, true)])
    func sampled(evaluated: Int, right: Int, staysOn: Bool) {
        var alarm = CredentialStuffingDetector()
        _ = record(&alarm, 100, at: 0)
        sample(&alarm, evaluated, right: right, at: 600)
        _ = record(&alarm, 1_000, at: 700)
        #expect(isOn(alarm, at: 1_199))
        #expect(isOn(alarm, at: 1_200) == staysOn)
    }

    @Test("R-03: a refunded attempt is not part of the sample")
    func sampleTakenBack() {
        var alarm = CredentialStuffingDetector()
        _ = record(&alarm, 100, at: 0)
        sample(&alarm, 5, right: 2, at: 600)
        alarm.refund(chargedAt: Self.start + .seconds(600), isRight: false, Self.rule)
        _ = record(&alarm, 1_000, at: 700)
        #expect(isOn(alarm, at: 1_200), "two of four were right")
        var honest = CredentialStuffingDetector()
        _ = record(&honest, 100, at: 0)
        sample(&honest, 5, right: 2, at: 600)
        for _ in 0..<2 {
            honest.refund(chargedAt: Self.start + .seconds(600), isRight: false, Self.rule)
        }
        _ = record(&honest, 1_000, at: 700)
        #expect(!isOn(honest, at: 1_200), "two of three were right")
    }

    @Test("R-03: honest users on new devices, however many, do not keep the alarm on")
    func honest() async throws {
        let fixture = try await LimitsFixture()
        for number in 0..<500 { _ = try await attempt(fixture, number) }
        var refused = 0
        for number in 0..<3_000 {
            let account = "honest\(number)@example.org"
            let (decision, id) = try await fixture.consume(
                .failedSignInByAccount, account, device: "new",
                from: "11.\(number / 250).\(number % 250).1")
            if decision.limited { refused += 1 }
            // One in seven has forgotten the password.
            if !decision.limited, number % 7 != 3 {
                try fixture.succeed(id, .failedSignInByAccount, account, device: "new")
            }
            fixture.time.advance(by: .milliseconds(1_000))
        }
        #expect(refused > 0, "the alarm was on")
        let now = fixture.time.now()
        let rule = CredentialStuffingRule(LimitName.signInFailuresOverall.rule)
        #expect(!fixture.service.limits.alarm.withLock { $0.isOn(at: now, rule) })
    }

    /// The attack: each pair once, ten from each address, each with its own device.
    ///
    /// - Parameter milliseconds: The pause between two attempts: all at once, in 1¾ hours, in 3⅓
    ///   hours.
    @Test(
        "R-03: of 10,000 pairs from 1,000 addresses, 1 % are evaluated once the alarm is on",
        arguments: [0, 630, 1_199])
    func stuffing(milliseconds: Int) async throws {
        let fixture = try await LimitsFixture()
        try await signInOwners(fixture)
        var evaluated = 0
        var after: Int?
        for number in 0..<10_000 {
            if number % 1_000 == 500 { try await signInOwners(fixture) }
            let (_, verdict) = try await attempt(fixture, number)
            if !verdict.isLimited { evaluated += 1 }
            if after == nil,
                fixture.log.lines.contains(where: {
                    $0.contains("limits.credential_stuffing.detected")
                })
            {
                after = evaluated
            }
            fixture.time.advance(by: .milliseconds(milliseconds))
        }
        let atAlarm = try #require(after)
        #expect(atAlarm == 500)
        #expect(evaluated - atAlarm <= (10_000 - atAlarm) / 100)
        try await signInOwners(fixture)
        #expect(try await fixture.audited().filter { $0.kind == "limit.stuffing-alarm" }.count == 1)
    }

    /// Tries one pair from one of a thousand networks.
    private func attempt(
        _ fixture: LimitsFixture, _ number: Int
    ) async throws -> (limit: LimitName, LimitVerdict) {
        let address = "10.\(number % 1_000 / 250).\(number % 250).7"
        return try await fixture.decide(
            [
                ("failed-sign-in-by-account", "user\(number)@example.org"),
                ("failed-sign-in-by-address", address),
                ("failed-sign-in-by-device", "\(address)|d\(number)"),
            ], from: address)
    }

    /// Owners of attacked accounts sign in on known devices: none is locked out.
    private func signInOwners(_ fixture: LimitsFixture) async throws {
        for number in stride(from: 0, to: 10_000, by: 2_000) {
            let account = "user\(number)@example.org"
            let (decision, id) = try await fixture.consume(
                .failedSignInByAccount, account, device: "owner")
            #expect(!decision.limited, "\(account)")
            try fixture.succeed(id, .failedSignInByAccount, account, device: "owner")
        }
    }
}
