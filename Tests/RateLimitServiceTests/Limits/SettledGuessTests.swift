import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: guesses from a known device are settled later", .timeLimit(.minutes(1)))
struct SettledGuessTests {
    private static let email = "ada@example.org"
    private static let address = "192.0.2.7"

    let fixture: LimitsFixture

    init() async throws {
        fixture = try await LimitsFixture()
        try fixture.remember(.failedSignInByAccount, Self.email, device: "d1")
    }

    /// Charges a sign-in as the gateway does.
    private func signIn(
        device: String = "d1", from address: String = address, settlesGuesses: Bool = true,
        settled: [RateLimitV1.SettledGuess] = [], in other: LimitsFixture? = nil
    ) async throws -> RateLimitV1.ConsumeResponse {
        let fixture = other ?? fixture
        return try await fixture.service.limits.consume(
            RateLimitV1.ConsumeRequest(
                charges: Self.charges(device, address), settlesGuesses: settlesGuesses,
                settled: settled, namedBy: .clientAddress(address)), fixture.context)
    }

    private static func charges(_ device: String, _ address: String) -> [RateLimitV1.Charge] {
        [
            .init(limit: "failed-sign-in-by-account", subject: email, device: device),
            .init(limit: "failed-sign-in-by-address", subject: address),
            .init(limit: "failed-sign-in-by-device", subject: "\(address)|\(device)"),
        ]
    }

    /// Makes five charges without an outcome, and lets them become old enough.
    private func fill(in other: LimitsFixture? = nil) async throws -> [String] {
        let fixture = other ?? fixture
        var ids: [String] = []
        for _ in 0..<5 {
            let answer = try await signIn(in: fixture)
            #expect(answer.settledLater && answer.unsettled.isEmpty)
            ids.append(answer.chargeId)
            fixture.time.advance(by: .milliseconds(1))
        }
        fixture.time.advance(by: UnsettledGuesses.askedAfter)
        return ids
    }

    @Test("R-03: five right passwords without an answer are refunded whole")
    func right() async throws {
        let ids = try await fill()
        let refused = try await signIn()
        #expect(refused.decision?.limited == true && refused.decision?.retryAfterMs == 1_000)
        #expect(Set(refused.unsettled) == Set(ids) && refused.chargeId.isEmpty)
        let passed = try await signIn(settled: ids.map { .init(chargeId: $0) })
        #expect(passed.decision?.limited == false && passed.settledLater)
        #expect(try fixture.peek(.failedSignInByAddress, Self.address).remaining == 48)
        #expect(
            try fixture.peek(.failedSignInByDevice, "\(Self.address)|d1").remaining == 3)
    }

    @Test("R-03: wrong passwords stay for 15 minutes, and are not asked about again")
    func wrong() async throws {
        let ids = try await fill()
        let settled = ids.map { RateLimitV1.SettledGuess(chargeId: $0, wrong: true) }
        let refused = try await signIn(settled: settled)
        #expect(refused.decision?.limited == true && refused.unsettled.isEmpty)
        #expect((refused.decision?.retryAfterMs ?? 0) > 800_000)
        for id in ids { try await fixture.refund(id) }
        #expect(try await signIn().decision?.limited == true)
    }

    @Test("R-03: exactly those that were compared and wrong stay", arguments: 0...5)
    func some(wrong: Int) async throws {
        let ids = try await fill()
        let settled = ids.enumerated().map {
            RateLimitV1.SettledGuess(chargeId: $0.element, wrong: $0.offset < wrong)
        }
        var passed = 0
        while try await signIn(settled: passed == 0 ? settled : []).decision?.limited == false {
            passed += 1
        }
        #expect(passed == 5 - wrong)
    }

    @Test("R-03: two gateways that settle the same guesses refund them once")
    func twice() async throws {
        let settled = try await fill().map { RateLimitV1.SettledGuess(chargeId: $0) }
        for number in 1...5 {
            let answer = try await signIn(settled: settled)
            #expect(answer.decision?.limited == false, "\(number)")
        }
        #expect(try await signIn(settled: settled).decision?.limited == true)
    }

    @Test("R-03: what the gateway has reported is not settled once more")
    func reported() async throws {
        let ids = try await fill()
        for id in ids {
            try fixture.succeed(id, .failedSignInByAccount, Self.email, device: "d1")
        }
        for _ in 0..<5 { #expect(try await signIn().decision?.limited == false) }
        let answer = try await signIn(settled: ids.map { .init(chargeId: $0) })
        #expect(answer.decision?.limited == true && answer.unsettled.isEmpty)
    }

    @Test("R-03: guesses from before a rotation of the subject key are settled after it")
    func rotated() async throws {
        let ids = try await fill()
        try await fixture.service.subjectKeys.rotate(at: fixture.time.now())
        let refused = try await signIn()
        #expect(refused.decision?.limited == true && Set(refused.unsettled) == Set(ids))
        let passed = try await signIn(settled: ids.map { .init(chargeId: $0) })
        #expect(passed.decision?.limited == false)
        #expect(try fixture.peek(.failedSignInByAddress, Self.address).remaining == 48)
    }

    @Test("R-03: while guesses are too young to be asked about, the wait is a second")
    func young() async throws {
        for _ in 0..<5 { _ = try await signIn() }
        let refused = try await signIn()
        #expect(refused.decision?.limited == true && refused.unsettled.isEmpty)
        #expect(refused.decision?.retryAfterMs == 1_000)
    }

    @Test("R-03: unknown devices, other devices, and callers that cannot ask have no such charges")
    func others() async throws {
        #expect(try await !signIn(device: "stranger").settledLater)
        #expect(try await !signIn(settlesGuesses: false).settledLater)
        try fixture.remember(.failedSignInByAccount, Self.email, device: "d2")
        for _ in 0..<4 { _ = try await signIn() }
        for _ in 0..<5 { _ = try await signIn(device: "d2", from: "198.51.100.1") }
        fixture.time.advance(by: UnsettledGuesses.askedAfter)
        let refused = try await signIn(settlesGuesses: false)
        #expect(refused.unsettled.isEmpty && refused.decision?.retryAfterMs ?? 0 > 800_000)
        #expect(try await signIn().unsettled.count == 4, "the first of five could not be settled")
    }

    @Test("R-03: a limit on the address names the device's own guesses too")
    func byAddress() async throws {
        let ids = try await fill()
        for number in 0..<45 {
            _ = try await fixture.consume(
                [
                    ("failed-sign-in-by-address", Self.address),
                    ("failed-sign-in-by-device", "\(number)"),
                ])
        }
        let refused = try await signIn()
        #expect(Set(refused.unsettled) == Set(ids))
        #expect(
            try await signIn(settled: ids.map { .init(chargeId: $0) }).decision?.limited == false)
    }

    @Test("R-03: guesses are settled after a restart", arguments: [false, true])
    func restart(isKilled: Bool) async throws {
        let ids = try await fill()
        // The second journal, of known devices, is written without a call that waits for it.
        await fixture.service.flush()
        let next = try await fixture.restarted(afterKill: isKilled)
        let refused = try await signIn(in: next)
        #expect(Set(refused.unsettled) == Set(ids))
        let settled = ids.enumerated().map {
            RateLimitV1.SettledGuess(chargeId: $0.element, wrong: $0.offset == 0)
        }
        #expect(try await signIn(settled: settled, in: next).decision?.limited == false)
        #expect(
            try next.peek(.failedSignInByDevice, "\(Self.address)|d1").remaining == 2)
        let last = try await next.restarted(afterKill: isKilled)
        for _ in 0..<3 {
            #expect(try await signIn(settled: settled, in: last).decision?.limited == false)
        }
        #expect(try await signIn(settled: settled, in: last).decision?.limited == true)
    }

    @Test("R-03: an invalid id is refused, and nothing is charged")
    func invalid() async throws {
        for id in ["", "no number"] {
            await #expect(throws: ServiceError(.invalidArgument, fields: ["settled"])) {
                try await signIn(settled: [.init(chargeId: id)])
            }
        }
        #expect(try fixture.peek(.failedSignInByAddress, Self.address).remaining == 49)
    }
}
