import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05: the secret that hashes subjects is rotated", .timeLimit(.minutes(1)))
struct SubjectKeyRotationTests {
    private static let ada = "ada@example.org"
    private static let number = "+4915112345678"

    /// One subject for each kind of limit, and how many charges reach it.
    private static let subjects: [(LimitName, String, Int)] = [
        (.failedSignInByAccount, ada, 5), (.phoneCodeGuess, number, 5),
        (.phoneCodeRequest, number, 1), (.phoneCodeByCountry, number, 500),
        (.failedSignInByAddress, "192.0.2.7", 50),
    ]

    private func standing(_ fixture: LimitsFixture) throws -> [RateLimitV1.Decision] {
        try Self.subjects.map { try fixture.peek($0.0, $0.1) }
    }

    private func charge(_ fixture: LimitsFixture, short: Int) async throws {
        for (limit, subject, count) in Self.subjects {
            for _ in short..<count { _ = try await fixture.decide([(limit.rawValue, subject)]) }
        }
    }

    @Test(
        "R-05: rotations and restarts change no decision",
        arguments: [0, 1])
    func standing(short: Int) async throws {
        var fixture = try await LimitsFixture()
        try await charge(fixture, short: short)
        let before = try standing(fixture)
        #expect(before.allSatisfy { $0.limited } == (short == 0))
        for round in 0..<3 {
            try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
            #expect(try standing(fixture) == before, "rotation \(round)")
            fixture = try await fixture.restarted(afterKill: round == 1)
            #expect(try standing(fixture) == before, "restart \(round)")
        }
        #expect(fixture.service.subjectKeys.ring.number == 3)
    }

    @Test("R-05: after a rotation an attempt continues the count and is charged once")
    func countsOn() async throws {
        let fixture = try await LimitsFixture()
        for left in [4, 3] as [UInt32] {
            let decision = try await fixture.consume(.failedSignInByAccount, Self.ada).decision
            #expect(decision.remaining == left)
        }
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        for left in [2, 1, 0] as [UInt32] {
            let decision = try await fixture.consume(.failedSignInByAccount, Self.ada).decision
            #expect(decision.remaining == left)
        }
        #expect(try await fixture.consume(.failedSignInByAccount, Self.ada).decision.limited)
    }

    @Test("R-05: a state keeps its key until it ends; the next one is under the new secret")
    func keepsKey() async throws {
        let fixture = try await LimitsFixture()
        let table = fixture.service.limits.table
        let former = fixture.service.subjectKeys.ring.limitKey(.signUpByAddress, "192.0.2.7")
        try await fixture.consume(.signUpByAddress, "192.0.2.7")
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        let current = fixture.service.subjectKeys.ring.limitKey(.signUpByAddress, "192.0.2.7")
        fixture.time.advance(by: .seconds(3_599))
        try await fixture.consume(.signUpByAddress, "192.0.2.7")
        fixture.time.advance(by: .seconds(3_599))
        try await fixture.consume(.signUpByAddress, "192.0.2.7")
        #expect(table.holds(former) && !table.holds(current))
        fixture.time.advance(by: .seconds(3_600))
        try await fixture.consume(.signUpByAddress, "192.0.2.7")
        #expect(!table.holds(former) && table.holds(current))
    }

    @Test("R-04: a batch of subjects under two secrets is charged as a whole or not at all")
    func batch() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, Self.ada) }
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        for _ in 0..<2 { try await fixture.consume(.failedSignInByDevice, "192.0.2.7|d") }
        let refused = try await fixture.consume([
            ("failed-sign-in-by-device", "192.0.2.7|d"), ("failed-sign-in-by-account", Self.ada),
        ])
        #expect(refused.decision.limited)
        #expect(try fixture.peek(.failedSignInByDevice, "192.0.2.7|d").remaining == 2)
        let allowed = try await fixture.consume([
            ("failed-sign-in-by-device", "192.0.2.7|d"), ("failed-sign-in-by-account", "b"),
        ])
        #expect(!allowed.decision.limited && allowed.decision.remaining == 2)
    }

    @Test("R-05: a charge made before a rotation can be refunded after it")
    func refund() async throws {
        let fixture = try await LimitsFixture()
        let charges = [
            ("failed-sign-in-by-account", Self.ada), ("failed-sign-in-by-address", "192.0.2.7"),
        ]
        let (_, refunded) = try await fixture.consume(charges)
        let (_, right) = try await fixture.consume(charges)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        try await fixture.refund(refunded)
        _ = try fixture.service.limits.succeed(
            RateLimitV1.SucceedRequest(
                chargeId: right, charges: LimitsFixture.message(charges)), fixture.context)
        #expect(try fixture.peek(.failedSignInByAccount, Self.ada).remaining == 4)
        #expect(try fixture.peek(.failedSignInByAddress, "192.0.2.7").remaining == 49)
    }

    @Test("G-25: a repeat after a rotation is charged once with its first call")
    func repeated() async throws {
        let fixture = try await LimitsFixture()
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = "key"
        let context = CallContext(
            deadline: fixture.time.uptime() + .seconds(10), metadata: metadata)
        let request = RateLimitV1.ConsumeRequest(
            charges: LimitsFixture.message([("sign-up-by-address", "192.0.2.7")]))
        _ = try await fixture.service.limits.consume(request, context)
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        _ = try await fixture.service.limits.consume(request, context)
        #expect(try fixture.peek(.signUpByAddress, "192.0.2.7").remaining == 1)
    }

    @Test("R-05: a reset and a success after a rotation survive a crash")
    func forgotten() async throws {
        let fixture = try await LimitsFixture()
        for limit in [LimitName.failedSignInByAccount, .phoneCodeGuess] {
            for _ in 0..<5 { try await fixture.consume(limit, Self.ada) }
        }
        for _ in 0..<3 { try await fixture.consume(.phoneCodeGuess, Self.number) }
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        try fixture.succeed("0", .phoneCodeGuess, Self.number)
        for limit in [LimitName.failedSignInByAccount, .phoneCodeGuess] {
            try await fixture.service.limits.forget(
                RequestedCharge.read(LimitsFixture.message([(limit.rawValue, Self.ada)])),
                at: fixture.time.now(), by: "tool")
        }
        let next = try await fixture.restarted(afterKill: true)
        for fixture in [fixture, next] {
            #expect(try fixture.peek(.failedSignInByAccount, Self.ada).remaining == 4)
            #expect(try fixture.peek(.phoneCodeGuess, Self.ada).remaining == 4)
            #expect(try fixture.peek(.phoneCodeGuess, Self.number).remaining == 4)
        }
    }

    /// An earlier version moved states to the current secret. If it was killed during that, its
    /// files have some under both.
    @Test("R-05: of a state under two secrets the current one counts, and a reset ends both")
    func copied() async throws {
        let former = try await LimitsFixture()
        for _ in 0..<5 { try await former.consume(.failedSignInByAccount, Self.ada) }
        for _ in 0..<5 { try await former.consume(.phoneCodeGuess, Self.number) }
        try await former.service.subjectKeys.rotate(at: former.time.now())
        let ring = former.service.subjectKeys.ring
        for (limit, subject) in [
            (LimitName.failedSignInByAccount, Self.ada), (.phoneCodeGuess, Self.number),
        ] {
            let copy = LimitRequest(
                key: ring.limitKey(limit, subject), rule: limit.rule, isShadow: false)
            for _ in 0..<5 {
                _ = former.service.limits.table.apply(.consume, copy, at: former.time.now())
            }
        }
        // With the failures in a row of the account.
        #expect(former.service.limits.table.count == 5)
        let fixture = try await former.restarted()
        #expect(try fixture.peek(.failedSignInByAccount, Self.ada).limited)
        try await fixture.service.limits.forget(
            RequestedCharge.read(LimitsFixture.message([("failed-sign-in-by-account", Self.ada)])),
            at: fixture.time.now(), by: "tool")
        try fixture.succeed("0", .phoneCodeGuess, Self.number)
        #expect(fixture.service.limits.table.count == 0)
        #expect(try fixture.peek(.failedSignInByAccount, Self.ada).remaining == 4)
        #expect(try fixture.peek(.phoneCodeGuess, Self.number).remaining == 4)
    }

    @Test("R-03: a known device remains known")
    func knownDevice() async throws {
        let fixture = try await LimitsFixture()
        try fixture.succeed("0", .failedSignInByAccount, Self.ada, device: "owner")
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, Self.ada) }
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        let next = try await fixture.restarted()
        let owner = try await next.consume(.failedSignInByAccount, Self.ada, device: "owner")
        #expect(!owner.decision.limited)
        let stranger = try await next.consume(.failedSignInByAccount, Self.ada, device: "x")
        #expect(stranger.decision.limited)
    }

    @Test("R-02: of 400 parallel guesses during three rotations five are evaluated")
    func parallel() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<2 { try await fixture.consume(.phoneCodeGuess, Self.number) }
        let evaluated = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<400 {
                group.addTask {
                    if number % 130 == 10 {
                        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
                    }
                    let decision = try await fixture.consume(.phoneCodeGuess, Self.number).decision
                    return decision.limited ? 0 : 1
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(evaluated == 3)
        #expect(fixture.service.subjectKeys.ring.number > 1)
    }
}
