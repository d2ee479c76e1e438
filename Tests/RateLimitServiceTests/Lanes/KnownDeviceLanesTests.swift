import Contracts
import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-02, R-03: an attacker cannot lock out an owner by guessing", .timeLimit(.minutes(1)))
struct KnownDeviceLanesTests {
    /// Each limit that counts guesses on one user, a subject of its kind, the limit for known
    /// devices, and the audit kind of its rejections.
    private static let limits: [(LimitName, String, LimitName, String)] = [
        (
            .failedSignInByAccount, "ada@example.org", .failedSignInByKnownDevice,
            "limit.repeated"
        ),
        (
            .failedProviderByAccount, "24|https://accounts.example|42",
            .failedProviderByKnownDevice, "limit.repeated"
        ),
        (
            .phoneCodeGuess, "+4915112345678", .phoneCodeGuessByKnownDevice, "limit.brute-force"
        ),
        (
            .totpGuess, "acc_0000000000001|password", .totpGuessByKnownDevice,
            "limit.brute-force"
        ),
    ]

    /// An attacker guesses from unknown devices. Returns how many guesses were evaluated.
    private func siege(
        _ fixture: LimitsFixture, _ limit: LimitName, _ subject: String, _ tries: Int
    ) async throws -> Int {
        var evaluated = 0
        for number in 0..<tries {
            let guess = try await fixture.consume(limit, subject, device: "stranger-\(number)")
            if !guess.decision.limited { evaluated += 1 }
        }
        return evaluated
    }

    @Test(
        "R-03: an attacker's guesses use up the limit for unknown devices; the owner's passes",
        arguments: limits)
    func owner(
        limit: LimitName, subject: String, lane: LimitName, record: String
    ) async throws {
        let fixture = try await LimitsFixture()
        try fixture.succeed("0", limit, subject, device: "owner")
        #expect(try await siege(fixture, limit, subject, 40) == 5)
        let (decision, id) = try await fixture.consume(limit, subject, device: "owner")
        #expect(!decision.limited && decision.limit == lane.rawValue)
        try fixture.succeed(id, limit, subject, device: "owner")
        // The owner's success does not allow an attacker more guesses.
        #expect(try await siege(fixture, limit, subject, 1) == 0)
        fixture.time.advance(by: .seconds(900))
        let records = try await fixture.audited()
        #expect(records.map(\.kind) == [record] && records.map(\.attempt) == [36])
    }

    @Test(
        "R-03: a known device has as many guesses as unknown ones and no more", arguments: limits)
    func stolen(limit: LimitName, subject: String, lane: LimitName, record: String) async throws {
        let fixture = try await LimitsFixture()
        try fixture.succeed("0", limit, subject, device: "owner")
        var evaluated = 0
        for _ in 0..<40 {
            let guess = try await fixture.consume(limit, subject, device: "owner")
            if !guess.decision.limited { evaluated += 1 }
        }
        #expect(evaluated == 5)
        let (decision, _) = try await fixture.consume(limit, subject, device: "owner")
        #expect(decision.limited && decision.limit == lane.rawValue)
        #expect(try await siege(fixture, limit, subject, 40) == 5)
    }

    @Test("R-03: a device is known for a subject of one limit, not for an equal one of another")
    func apart() async throws {
        for known in Self.limits {
            let fixture = try await LimitsFixture()
            try fixture.succeed("0", known.0, "same", device: "d")
            for other in Self.limits where other.0 != known.0 {
                let (decision, _) = try await fixture.consume(other.0, "same", device: "d")
                #expect(decision.limit == other.0.rawValue)
            }
        }
    }

    @Test("R-02: after 100 wrong codes by attackers the owner's device can still sign in")
    func lockedForGood() async throws {
        let fixture = try await LimitsFixture()
        let number = "+4915112345678"
        try fixture.succeed("0", .phoneCodeGuess, number, device: "owner")
        for _ in 0..<200 {
            _ = try await fixture.decide([("phone-code-guess", number)])
            fixture.time.advance(by: .seconds(180))
        }
        let stranger = try await fixture.consume(.phoneCodeGuess, number).decision
        #expect(stranger.limited && stranger.retryAfterMs == 86_400_000)
        let owner = try await fixture.consume(.phoneCodeGuess, number, device: "owner").decision
        #expect(!owner.limited)
    }

    @Test("R-02: the right code from a new device resets the limit and makes the device known")
    func newDevice() async throws {
        let fixture = try await LimitsFixture()
        let number = "+4915112345678"
        for _ in 0..<3 { try await fixture.consume(.phoneCodeGuess, number) }
        let (_, id) = try await fixture.consume(.phoneCodeGuess, number, device: "new")
        try fixture.succeed(id, .phoneCodeGuess, number, device: "new")
        #expect(try fixture.peek(.phoneCodeGuess, number).remaining == 4)
        let (decision, _) = try await fixture.consume(.phoneCodeGuess, number, device: "new")
        #expect(decision.limit == "phone-code-guess-by-known-device")
    }

    @Test("F-04: a device that has given a code is known after every first proof of the account")
    func anyFirstProof() async throws {
        let fixture = try await LimitsFixture()
        let subjects = TOTPLane.allCases.map { $0.subject(of: "acc_0000000000001") }
        try fixture.succeed("0", .totpGuess, subjects[0], device: "owner")
        for subject in subjects {
            // A thief of one first proof fills its lane, and none of the others.
            #expect(try await siege(fixture, .totpGuess, subject, 40) == 5)
            let (decision, _) = try await fixture.consume(.totpGuess, subject, device: "owner")
            #expect(!decision.limited && decision.limit == "totp-guess-by-known-device")
        }
        let other = TOTPLane.password.subject(of: "acc_0000000000002")
        let (decision, _) = try await fixture.consume(.totpGuess, other, device: "owner")
        #expect(decision.limit == "totp-guess")
    }

    @Test("F-04: after 100 wrong codes in a lane the owner's device and the other lanes are open")
    func fullLane() async throws {
        let fixture = try await LimitsFixture()
        let (full, open) = (
            TOTPLane.password.subject(of: "acc_0000000000001"),
            TOTPLane.resetLink.subject(of: "acc_0000000000001")
        )
        try fixture.succeed("0", .totpGuess, full, device: "owner")
        for _ in 0..<200 {
            _ = try await fixture.decide([("totp-guess", full)])
            fixture.time.advance(by: .seconds(180))
        }
        let stranger = try await fixture.consume(.totpGuess, full).decision
        #expect(stranger.limited && stranger.retryAfterMs == 86_400_000)
        #expect(try await !fixture.consume(.totpGuess, open).decision.limited)
        let owner = try await fixture.consume(.totpGuess, full, device: "owner").decision
        #expect(!owner.limited)
    }

    @Test("R-03: failures at a provider do not raise the credential stuffing alarm")
    func noAlarm() async throws {
        let fixture = try await LimitsFixture()
        for number in 0..<600 {
            _ = try await fixture.decide([("failed-provider-by-account", "identity-\(number)")])
        }
        let now = fixture.time.now()
        let rule = CredentialStuffingRule(LimitName.signInFailuresOverall.rule)
        #expect(!fixture.service.limits.alarm.withLock { $0.isOn(at: now, rule) })
    }
}
