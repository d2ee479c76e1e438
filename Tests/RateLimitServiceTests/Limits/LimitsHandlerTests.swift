import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-04: the service consumes, peeks and refunds", .timeLimit(.minutes(1)))
struct LimitsHandlerTests {
    let fixture: LimitsFixture

    init() async throws { fixture = try await LimitsFixture() }

    @Test("R-03: the sixth failed sign-in in 15 minutes is limited until the first expires")
    func sixth() async throws {
        for left: UInt32 in [4, 3, 2, 1, 0] {
            let (decision, id) = try await fixture.consume(
                .failedSignInByAccount, "ada@example.org")
            #expect(!decision.limited)
            #expect(decision.limit == "failed-sign-in-by-account")
            #expect(decision.remaining == left)
            #expect(decision.retryAfterMs == 0)
            #expect(!id.isEmpty)
            fixture.time.advance(by: .seconds(60))
        }
        let (decision, id) = try await fixture.consume(.failedSignInByAccount, "ada@example.org")
        #expect(decision.limited)
        #expect(decision.limit == "failed-sign-in-by-account")
        #expect(decision.retryAfterMs == 600_000)
        #expect(id.isEmpty)
        fixture.time.advance(by: .milliseconds(599_999))
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").retryAfterMs == 1)
        fixture.time.advance(by: .milliseconds(1))
        #expect(
            try await !fixture.consume(.failedSignInByAccount, "ada@example.org").decision.limited)
    }

    @Test(
        "R-03: of 200 parallel charges exactly as many pass as are allowed at once",
        arguments: LimitName.allCases.filter { !$0.isInternal })
    func parallel(limit: LimitName) async throws {
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { try await !fixture.consume(limit, "192.0.2.7").decision.limited }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let allowed =
            switch limit.rule {
            case .slidingWindow(let count, _): count
            case .gcra(let count, _): min(200, count / 2)
            case .escalatingDelay: 1
            case .lockout(let attempts, _, _): attempts
            }
        #expect(passed == allowed)
    }

    @Test("R-04: a refund returns a charge once, to all its limits")
    func refund() async throws {
        let batch = [
            ("failed-sign-in-by-account", "ada@example.org"),
            ("failed-sign-in-by-address", "192.0.2.7"),
        ]
        let first = try await fixture.consume(batch)
        let second = try await fixture.consume(batch)
        #expect(first.chargeID != second.chargeID)
        for _ in 0..<3 { try await fixture.refund(first.chargeID) }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 3)
        #expect(try fixture.peek(.failedSignInByAddress, "192.0.2.7").remaining == 48)
        try await fixture.refund(second.chargeID)
        #expect(try fixture.peek(.failedSignInByAddress, "192.0.2.7").remaining == 49)
        #expect(fixture.service.limits.table.count == 0)
    }

    @Test("R-04: the refund of an unknown or refunded charge is no error")
    func refundNothing() async throws {
        try await fixture.consume(.failedSignInByAccount, "ada@example.org")
        for id in ["0", "-1", "zzzz"] { try await fixture.refund(id) }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 3)
    }

    @Test("R-04: a limited entry leaves the others uncharged")
    func allOrNothing() async throws {
        for _ in 0..<3 { try await fixture.consume(.signUpByAddress, "192.0.2.7") }
        let (decision, _) = try await fixture.consume([
            ("failed-sign-in-by-address", "192.0.2.7"), ("sign-up-by-address", "192.0.2.7"),
        ])
        #expect(decision.limited)
        #expect(decision.limit == "sign-up-by-address")
        #expect(try fixture.peek(.failedSignInByAddress, "192.0.2.7").remaining == 49)
    }

    @Test(
        "R-03: the addresses of one household share a limit",
        arguments: [
            ("2001:db8:1:2::1", "2001:DB8:1:ffff::9"), ("192.0.2.7", "::ffff:192.0.2.7"),
        ])
    func folded(one: String, other: String) async throws {
        for address in [one, other, one] { try await fixture.consume(.signUpByAddress, address) }
        #expect(try await fixture.consume(.signUpByAddress, other).decision.limited)
        #expect(try await !fixture.consume(.signUpByAddress, "2001:db8:2::1").decision.limited)
        for address in [one, other, one] {
            try await fixture.consume(.signUpOnTakenEmail, "\(address)|ada@example.org")
        }
        #expect(
            try await fixture.consume(.signUpOnTakenEmail, "\(other)|ada@example.org")
                .decision.limited)
    }

    @Test("R-04: a subject under two limits, or two subjects under one, are independent")
    func apart() async throws {
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "192.0.2.7") }
        #expect(try await !fixture.consume(.failedSignInByAddress, "192.0.2.7").decision.limited)
        #expect(try await !fixture.consume(.failedSignInByAccount, "192.0.2.8").decision.limited)
    }

    @Test(
        "R-04: an invalid charge is rejected, its field named, and nothing charged",
        arguments: [
            ([], "charges"),
            ([("no-such-limit", "a")], "charges.limit"),
            ([("", "a")], "charges.limit"),
            ([("known-device", "a")], "charges.limit"),
            ([("sign-in-without-history", "a")], "charges.limit"),
            ([("failed-sign-in-by-account", "")], "charges.subject"),
            (
                [("failed-sign-in-by-account", String(repeating: "a", count: 513))],
                "charges.subject"
            ),
            (
                [("failed-sign-in-by-account", "a"), ("failed-sign-in-by-account", "a")],
                "charges"
            ),
            (
                [("sign-up-by-address", "192.0.2.7"), ("sign-up-by-address", "::ffff:192.0.2.7")],
                "charges"
            ),
            ((1...16).map { ("failed-sign-in-by-account", "\($0)") }, "charges"),
        ] as [([(String, String)], String)])
    func refused(charges: [(String, String)], field: String) async throws {
        let expected = ServiceError(.invalidArgument, fields: [field])
        await #expect(throws: expected) { try await fixture.consume(charges) }
        #expect(throws: expected) {
            try fixture.service.limits.peek(
                RateLimitV1.PeekRequest(charges: LimitsFixture.message(charges)), fixture.context)
        }
        #expect(fixture.service.limits.table.count == 0)
    }

    @Test("R-04: the longest subject and the largest batch are accepted")
    func largest() async throws {
        let subject = String(repeating: "a", count: 510)
        let (decision, _) = try await fixture.consume(
            (0..<15).map { ("failed-sign-in-by-account", "\(subject)\($0)") })
        #expect(!decision.limited)
        // Plus the failures in a row of the first.
        #expect(fixture.service.limits.table.count == 16)
    }

    @Test(
        "R-04: an invalid charge id is rejected",
        arguments: ["", " ", "é", "zzzzzzzzzzzzzzzzzzzz", "1_0", "\u{0}"])
    func refusedRefund(id: String) async throws {
        await #expect(throws: ServiceError(.invalidArgument, fields: ["charge_id"])) {
            try await fixture.refund(id)
        }
    }

    @Test("R-01: a response has the attempt, its reset time, the wait and a sentence")
    func sentence() async throws {
        let start = fixture.time.now()
        let first = try await fixture.consume(.phoneCodeRequest, "+4915112345678").decision
        #expect(first.attempt == 1)
        #expect(first.sentence.isEmpty)
        #expect(first.resetAtMs > start.milliseconds)
        let second = try await fixture.service.limits.consume(
            RateLimitV1.ConsumeRequest(
                charges: LimitsFixture.message([("phone-code-request", "+4915112345678")]),
                language: "de"), fixture.context)
        let decision = try #require(second.decision)
        #expect(decision.limited && decision.attempt == 2 && decision.retryAfterMs == 60_000)
        #expect(
            decision.sentence
                == "Bitte warte 1 Minute, bevor du einen neuen Code anforderst.")
    }

    @Test("R-01, R-02: a success resets delays and locks but not the daily maximum")
    func success() async throws {
        let number = "+4915112345678"
        for _ in 0..<4 { try await fixture.consume(.phoneCodeGuess, number) }
        let (decision, id) = try await fixture.consume(.phoneCodeGuess, number)
        #expect(decision.remaining == 0)
        try fixture.succeed(id, .phoneCodeGuess, number)
        #expect(try fixture.peek(.phoneCodeGuess, number).remaining == 4)
        for _ in 0..<10 {
            #expect(try await !fixture.consume(.phoneCodeRequest, number).decision.limited)
            try fixture.succeed("1", .phoneCodeRequest, number)
        }
        let eleventh = try await fixture.consume(.phoneCodeRequest, number).decision
        #expect(eleventh.limited && eleventh.retryAfterMs == 86_400_000)
    }

    @Test("R-04: only an operator can reset, and the reset is recorded")
    func reset() async throws {
        for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        let request = RateLimitV1.ResetRequest(
            charges: LimitsFixture.message([("failed-sign-in-by-account", "ada@example.org")]))
        let refused = ServiceError.notNamed(
            fixture.context.application, by: "resets-from", of: "rate-limit")
        await #expect(throws: refused) {
            try await fixture.service.limits.reset(request, fixture.context)
        }
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").limited)
        let tool = CallContext(application: "tool", deadline: fixture.context.deadline)
        #expect(try await fixture.service.limits.reset(request, tool).forgotten == 1)
        #expect(try fixture.peek(.failedSignInByAccount, "ada@example.org").remaining == 4)
        #expect(
            try await fixture.service.limits.reset(request, tool).forgotten == 0, "nothing is left")
        #expect(try await fixture.audited().map(\.kind) == ["limit.reset", "limit.reset"])
        #expect(try await fixture.count("audit", where: "actor = 'tool'") == 2)
    }

    @Test("R-04: the operator sees and resets a limit that is part of others, but no known device")
    func parts() async throws {
        let charges = [("new-subjects-by-site", "192.0.2.7")]
        let tool = CallContext(application: "tool", deadline: fixture.context.deadline)
        let peeked = try fixture.service.limits.peek(
            RateLimitV1.PeekRequest(charges: LimitsFixture.message(charges)), tool)
        #expect(peeked.decision?.limit == "new-subjects-by-site")
        let request = RateLimitV1.ResetRequest(charges: LimitsFixture.message(charges))
        #expect(try await fixture.service.limits.reset(request, tool).forgotten == 0)
        let device = RateLimitV1.ResetRequest(
            charges: LimitsFixture.message([("known-device", "a")]))
        await #expect(throws: ServiceError(.invalidArgument, fields: ["charges.limit"])) {
            try await fixture.service.limits.reset(device, tool)
        }
    }
}
