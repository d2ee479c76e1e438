import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05: a former secret stays as long as needed", .timeLimit(.minutes(1)))
struct FormerSecretTests {
    private static let number = "+4915112345678"
    private static let until = Timestamp(milliseconds: 1_767_225_600_000)

    @Test(
        "R-05: a former secret is used as long as a state of the limit's rule may count",
        arguments: [
            (.failedSignInByAccount, 959, true), (.failedSignInByAccount, 960, false),
            (.signUpByAddress, 3_659, true), (.signUpByAddress, 3_660, false),
            (.phoneCodeByCountry, 3_650, true), (.phoneCodeByCountry, 3_660, false),
            (.phoneCodeGuess, 400 * 86_400, true), (.phoneCodeRequest, 400 * 86_400, true),
        ] as [(LimitName, Int, Bool)])
    func lookedUp(limit: LimitName, seconds: Int, isLookedUp: Bool) throws {
        func secret(_ number: UInt8, until: Timestamp?) -> SubjectHash {
            SubjectHash(
                KeyedHash(key: SecretBytes(copying: [UInt8](repeating: number, count: 32))),
                number: Int64(number), since: Self.until, until: until)
        }
        let ring = try #require(
            SubjectKeyRing([secret(1, until: nil), secret(0, until: Self.until)]))
        let keys = ring.formerKeys(
            limit, "s", CountingRule(limit.rule), at: Self.until + .seconds(seconds))
        #expect(keys.isEmpty != isLookedUp)
        #expect(!keys.contains(ring.limitKey(limit, "s")))
    }

    @Test(
        "R-05: it is obsolete after 90 days if no state last charged under it still counts",
        arguments: [
            (90 * 86_400 + 60, false, true), (90 * 86_400 + 59, false, false),
            (90 * 86_400 + 60, true, false), (4_000 * 86_400, true, false),
        ])
    func spent(seconds: Int, isCharged: Bool, isSpent: Bool) {
        let spent = SubjectKeyRing.isSpent(
            until: Self.until, at: Self.until + .seconds(seconds)
        ) {
            #expect($0 == Self.until + .seconds(60), "charges may use it during the change")
            return isCharged
        }
        #expect(spent == isSpent)
    }

    @Test("R-02: a number that is locked for good stays locked, however long it is not used")
    func lockedForGood() async throws {
        var fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        fixture.time.advance(by: .seconds(4_000 * 86_400))
        await fixture.service.sweep()
        fixture = try await fixture.restarted()
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.count == 1)
        let decision = try fixture.peek(.phoneCodeGuess, Self.number)
        #expect(decision.limited)
        try await fixture.service.limits.forget(
            RequestedCharge.read(LimitsFixture.message([("phone-code-guess", Self.number)])),
            at: fixture.time.now(), by: "tool")
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        #expect(try await fixture.count("subject_secret") == 1)
        #expect(try !fixture.peek(.phoneCodeGuess, Self.number).limited)
    }

    /// Guesses until only a reset unlocks.
    private static func lockForGood(_ fixture: LimitsFixture) async throws {
        for _ in 0..<200 {
            _ = try await fixture.decide([("phone-code-guess", number)])
            fixture.time.advance(by: .seconds(180))
        }
    }

    @Test(
        "R-05: a permanently locked number that is used again no longer needs its former secret",
        arguments: [0, 3_600])
    func lockMoved(seconds: Int) async throws {
        var fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        fixture.time.advance(by: .seconds(seconds))
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
        await fixture.service.flush()
        fixture.time.advance(by: .seconds(90 * 86_400 + 61))
        fixture = try await fixture.restarted()
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        fixture.time.advance(by: .seconds(4_000 * 86_400))
        await fixture.service.sweep()
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).limited)
    }

    @Test("R-05: an operator removes the oldest secret; its locks do not keep the others")
    func forgetOldest() async throws {
        let fixture = try await LimitsFixture()
        try await Self.lockForGood(fixture)
        let keys = fixture.service.subjectKeys
        for _ in 0..<3 {
            try await keys.rotate(at: fixture.time.now(), forgettingOldest: true)
            fixture.time.advance(by: .seconds(100 * 86_400))
            await fixture.service.sweep()
        }
        #expect(keys.ring.formers.map(\.number) == [2, 1, 0], "the lock keeps them all")
        await #expect(throws: ServiceError.self) { try await keys.rotate(at: fixture.time.now()) }
        try await keys.rotate(at: fixture.time.now(), forgettingOldest: true)
        #expect(keys.ring.formers.map(\.number) == [3, 2, 1])
        #expect(try !fixture.peek(.phoneCodeGuess, Self.number).limited, "the lock is lost")
        fixture.time.advance(by: .seconds(100 * 86_400))
        await fixture.service.sweep()
        #expect(keys.ring.formers.isEmpty)
        let kinds = try await fixture.audited().map(\.kind)
        #expect(kinds.filter { $0 == "key.subject-secret-forgotten" }.count == 4)
    }

    @Test("R-05: there are at most four secrets; removing an obsolete one allows a new one")
    func room() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<3 { try await fixture.service.subjectKeys.rotate(at: fixture.time.now()) }
        await #expect {
            try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        } throws: { error in
            let error = error as? ServiceError
            return error?.code == .tooManyRequests
                && error?.retryAfter == .seconds(90 * 86_400 + 60)
        }
        fixture.time.advance(by: .seconds(90 * 86_400 + 60))
        await fixture.service.sweep()
        #expect(fixture.service.subjectKeys.ring.formers.isEmpty)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
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
