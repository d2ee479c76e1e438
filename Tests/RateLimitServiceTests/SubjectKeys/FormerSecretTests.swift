import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05: a former secret is looked up for 91 days", .timeLimit(.minutes(1)))
struct FormerSecretTests {
    private static let ada = "ada@example.org"
    private static let number = "+4915112345678"
    private static let otherNumber = "+4915112345679"
    private static let until = Timestamp(milliseconds: 1_767_225_600_000)
    private static let days91 = Duration.seconds(91 * 86_400)

    private static func secret(until: Timestamp?) -> SubjectHash {
        SubjectHash(
            KeyedHash(key: SecretBytes(copying: [UInt8](repeating: 1, count: 32))), number: 0,
            since: Self.until, until: until)
    }

    @Test(
        "R-05: it is looked up for 91 days after it was replaced, the current one always",
        arguments: [(.zero, false), (days91 - .milliseconds(1), false), (days91, true)]
            as [(Duration, Bool)])
    func spent(time: Duration, isSpent: Bool) {
        #expect(Self.secret(until: Self.until).isSpent(at: Self.until + time) == isSpent)
        #expect(!Self.secret(until: nil).isSpent(at: Self.until + time))
    }

    /// Guesses until only a reset unlocks.
    private static func lockForGood(
        _ fixture: LimitsFixture, _ number: String = number
    ) async throws {
        for _ in 0..<200 {
            _ = try await fixture.decide([("phone-code-guess", number)])
            fixture.time.advance(by: .seconds(180))
        }
        #expect(try fixture.peek(.phoneCodeGuess, number).retryAfterMs == 86_400_000)
    }

    @Test("R-02: a number that is locked for good starts over 91 days after a rotation")
    func lockedForGood() async throws {
        var fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        fixture.time.advance(by: Self.days91 - .milliseconds(1))
        await fixture.service.sweep()
        fixture = try await fixture.restarted()
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).remaining == 4)
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        #expect(try await fixture.count("subject_secret") == 1)
        #expect(fixture.service.limits.table.count == 0, "it uses no capacity")
        fixture = try await fixture.restarted()
        #expect(fixture.service.limits.table.count == 0)
    }

    @Test("R-02: a number that was locked for good after the rotation stays locked")
    func lockedUnderCurrent() async throws {
        let fixture = try await LimitsFixture()
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        try await Self.lockForGood(fixture)
        fixture.time.advance(by: .seconds(4_000 * 86_400))
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
    }

    @Test("R-05: after two rotations each lock starts over 91 days after its own")
    func twoRotations() async throws {
        var fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        let first = fixture.time.now()
        try await fixture.service.subjectKeys.rotate(at: first)
        fixture.time.advance(by: .seconds(40 * 86_400))
        try await Self.lockForGood(fixture, Self.otherNumber)
        let second = fixture.time.now()
        try await fixture.service.subjectKeys.rotate(at: second)
        #expect(fixture.service.limits.table.count == 2, "no state was copied")
        for number in [Self.number, Self.otherNumber] {
            #expect(try fixture.peek(.phoneCodeGuess, number).limited)
        }
        fixture = try await fixture.restarted(afterKill: true)
        fixture.time.advance(by: first + Self.days91 - fixture.time.now())
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.map(\.number) == [1])
        #expect(try !fixture.peek(.phoneCodeGuess, Self.number).limited)
        #expect(try fixture.peek(.phoneCodeGuess, Self.otherNumber).limited)
        fixture = try await fixture.restarted()
        fixture.time.advance(by: second + Self.days91 - fixture.time.now())
        #expect(try !fixture.peek(.phoneCodeGuess, Self.otherNumber).limited)
    }

    @Test("R-05: a limit that is charged without a pause keeps its key for 91 days")
    func withoutPause() async throws {
        let fixture = try await LimitsFixture()
        let charge = [("export-by-account", "acc_1")]
        _ = try await fixture.decide(charge)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        for number in 1...181 {
            fixture.time.advance(by: .seconds(43_200))
            _ = try await fixture.decide(charge)
            #expect(fixture.service.limits.table.count == 1, "charge \(number)")
        }
        fixture.time.advance(by: .seconds(43_200) - .milliseconds(1))
        #expect(try fixture.peek(.exportByAccount, "acc_1").remaining == 0)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try fixture.peek(.exportByAccount, "acc_1").remaining == 2, "it starts over")
        _ = try await fixture.decide(charge)
        #expect(fixture.service.limits.table.count == 2)
        fixture.time.advance(by: .seconds(43_200))
        await fixture.service.sweep()
        #expect(fixture.service.limits.table.count == 1, "the former one has ended")
    }

    @Test("R-03: a device that is used stays known, since a success renews it under the new secret")
    func renewed() async throws {
        var fixture = try await LimitsFixture()
        for device in ["used", "unused"] {
            try fixture.succeed("0", .failedSignInByAccount, Self.ada, device: device)
        }
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        func knows(_ device: String) -> Bool {
            fixture.service.limits.devices.knows(Self.ada, device, at: fixture.time.now())
        }
        fixture.time.advance(by: .seconds(89 * 86_400))
        #expect(knows("used") && knows("unused"))
        try fixture.succeed("0", .failedSignInByAccount, Self.ada, device: "used")
        fixture.time.advance(by: .seconds(2 * 86_400))
        await fixture.service.sweep()
        fixture = try await fixture.restarted()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        #expect(knows("used") && !knows("unused"))
        fixture.time.advance(by: .seconds(88 * 86_400))
        #expect(!knows("used"))
    }

    @Test("R-05: an operator drops the oldest secret, with what counts under it")
    func forgetOldest() async throws {
        let fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        let keys = fixture.service.subjectKeys
        for _ in 0..<3 {
            try await keys.rotate(at: fixture.time.now(), forgettingOldest: true)
            fixture.time.advance(by: .seconds(86_400))
            await fixture.service.sweep()
        }
        #expect(keys.ring.formers.map(\.number) == [2, 1, 0], "all are looked up")
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
        await #expect(throws: ServiceError.self) { try await keys.rotate(at: fixture.time.now()) }
        try await keys.rotate(at: fixture.time.now(), forgettingOldest: true)
        #expect(keys.ring.formers.map(\.number) == [3, 2, 1])
        #expect(try !fixture.peek(.phoneCodeGuess, Self.number).limited, "the lock is lost")
        #expect(fixture.service.limits.table.count == 0)
        fixture.time.advance(by: Self.days91)
        await fixture.service.sweep()
        #expect(keys.ring.formers.isEmpty)
        let kinds = try await fixture.audited().map(\.kind)
        #expect(kinds.filter { $0 == "key.subject-secret-forgotten" }.count == 4)
    }

    @Test("R-05: there are at most four secrets; a rotation first deletes those that are over")
    func room() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<3 { try await fixture.service.subjectKeys.rotate(at: fixture.time.now()) }
        fixture.time.advance(by: .seconds(86_400))
        await #expect {
            try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        } throws: { error in
            let error = error as? ServiceError
            return error?.code == .tooManyRequests && error?.fields == ["forget_oldest"]
                && error?.retryAfter == .seconds(90 * 86_400)
        }
        fixture.time.advance(by: .seconds(90 * 86_400))
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        #expect(fixture.service.subjectKeys.ring.formers.map(\.number) == [3])
        let kinds = try await fixture.audited().map(\.kind)
        #expect(kinds.filter { $0 == "key.subject-secret-made" }.count == 4)
        #expect(kinds.filter { $0 == "key.subject-secret-forgotten" }.count == 3)
    }

    @Test("R-05: with another master key the service does not start and reports why")
    func otherMaster() async throws {
        let fixture = try await LimitsFixture()
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        await #expect(throws: SealedBoxError.notAuthentic) {
            _ = try await fixture.restarted(key: 8)
        }
    }
}
