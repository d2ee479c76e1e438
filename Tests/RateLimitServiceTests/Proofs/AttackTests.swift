import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-01, R-02: the limits hold under attack", .timeLimit(.minutes(2)))
struct AttackTests {
    @Test("R-02: of 200 parallel wrong codes five are evaluated; then the right one is rejected")
    func parallelCodes() async throws {
        let fixture = try await LimitsFixture()
        let evaluated = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await !fixture.consume(.phoneCodeGuess, "+4915112345678").decision.limited
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(evaluated == 5)
        let decision = try await fixture.consume(.phoneCodeGuess, "+4915112345678").decision
        #expect(decision.limited && decision.retryAfterMs == 900_000)
        #expect(decision.sentence == "Too many incorrect codes. Please wait 15 minutes.")
    }

    @Test("R-02: after 100 wrong codes in a row, none is evaluated until a reset")
    func hundred() async throws {
        let fixture = try await LimitsFixture()
        var evaluated = 0
        for _ in 0..<2_000 {
            let (_, verdict) = try await fixture.decide([("phone-code-guess", "+4915112345678")])
            if !verdict.isLimited { evaluated += 1 }
            fixture.time.advance(by: .seconds(180))
        }
        #expect(evaluated == 100)
        let decision = try await fixture.consume(.phoneCodeGuess, "+4915112345678").decision
        #expect(decision.limited && decision.retryAfterMs == 86_400_000)
        #expect(decision.sentence == "Too many attempts. Please contact support.")
    }

    /// An attacker who requests codes as soon as allowed, can also confirm some of them, and uses
    /// another address for every call.
    @Test("R-01: in a year of attack on one number, no 24 hours have more than ten messages")
    func year() async throws {
        let fixture = try await LimitsFixture()
        let number = "+4915112345678"
        let randomness = SeededRandomness(seed: 3)
        let end = fixture.time.now() + .seconds(365 * 86_400)
        var sent: [Timestamp] = []
        var tries: UInt64 = 0
        while fixture.time.now() < end {
            tries += 1
            let address = "198.18.\(tries / 250 % 250).\(tries % 250)"
            let (_, verdict) = try await fixture.decide([
                ("phone-code-request", number), ("phone-code-by-address", address),
            ])
            if !verdict.isLimited {
                sent.append(fixture.time.now())
                if randomness.next() % 3 == 0 {
                    try fixture.succeed("1", .phoneCodeRequest, number)
                }
            }
            let wait = verdict.retryAt.map { $0 - fixture.time.now() } ?? .seconds(1)
            fixture.time.advance(by: max(.milliseconds(1), wait))
        }
        var first = 0
        for (index, moment) in sent.enumerated() {
            while moment - sent[first] >= .seconds(86_400) { first += 1 }
            #expect(index - first + 1 <= 10, "at \(moment)")
        }
        #expect(sent.count <= 3_650 + 10)
        #expect(sent.count > 3_000, "the attack must be effective: \(sent.count) in \(tries) tries")
    }

    @Test("R-01: SMS pumping is limited by block and by country, whatever the numbers are")
    func pumping() async throws {
        let fixture = try await LimitsFixture()
        var sent = 0
        for number in 0..<5_000 {
            let phone = "+23912\(100_000 + number)"
            let (_, verdict) = try await fixture.decide([
                ("phone-code-request", phone), ("phone-code-by-block", phone),
                ("phone-code-by-country", phone),
            ])
            if !verdict.isLimited { sent += 1 }
        }
        #expect(sent == 5 * 30)
    }
}
