import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

/// A week of manual time against the real service, with attackers who know its limits and owners
/// who sign in each hour: the table of `Sources/RateLimitService/README.md` as a simulation.
@Suite("R-01 … R-03: owners sign in during a week of attacks", .timeLimit(.minutes(5)))
struct WeekOfAttacksTests {
    /// The attackers, and how an address is made from a number.
    enum Attackers: CaseIterable, Sendable {
        case oneAddress
        case oneSite
        case tenThousand

        func address(_ number: Int) -> String {
            switch self {
            case .oneAddress: "198.51.100.7"
            case .oneSite: "2001:db8:1:\(String(number % 60_000, radix: 16))::1"
            case .tenThousand: "10.\(number % 10_000 / 250).\(number % 250).7"
            }
        }
    }

    private static let victim = "victim@example.org"
    private static let number = "+4915112345678"
    /// Attempts of each kind each hour. Enough to reach every limit of one address or site, and,
    /// with ten thousand addresses, the alarm.
    private static let triesAnHour = 300

    @Test(
        "H1, M1, M4: known devices always sign in, and new ones within minutes by one of the ways",
        arguments: Attackers.allCases)
    func week(attackers: Attackers) async throws {
        let fixture = try await LimitsFixture(flags: ["--subjects-max=20000"])
        try fixture.remember(.failedSignInByAccount, Self.victim, device: "phone")
        try fixture.remember(.phoneCodeGuess, Self.number, device: "phone")
        var tries = 0
        for hour in 0..<(7 * 24) {
            for _ in 0..<Self.triesAnHour {
                tries += 1
                try await attack(fixture, tries, from: attackers.address(tries))
            }
            try await knownDevice(fixture, hour)
            try await newDevice(fixture, hour)
            fixture.time.advance(by: .seconds(3_600))
        }
        // the memory stays within the limits.
        #expect(fixture.service.limits.table.count <= 20_000 + (1 << 18))
    }

    /// A guess at the victim, one at another account, a request for a reset, and a wrong code.
    private func attack(_ fixture: LimitsFixture, _ number: Int, from address: String) async throws
    {
        let device = ("failed-sign-in-by-device", "\(address)|d\(number)")
        for email in [Self.victim, "user\(number)@example.org"] {
            var charges = [
                ("failed-sign-in-by-account", email), ("failed-sign-in-by-address", address),
            ]
            if email != Self.victim { charges.append(device) }
            if address.contains(":") { charges.append(("failed-sign-in-by-site", address)) }
            _ = try await fixture.decide(charges, from: address)
        }
        let email = number % 50 == 0 ? "user\(number / 50)@example.org" : "invented\(number)@x.org"
        _ = try await fixture.decide(
            [("password-reset-by-email", email), ("password-reset-by-address", address)],
            from: address)
        _ = try await fixture.decide(
            [("phone-code-guess", Self.number), ("phone-code-guess-by-address", address)],
            from: address)
    }

    /// The owner on a known device.
    private func knownDevice(_ fixture: LimitsFixture, _ hour: Int) async throws {
        let ways: [(LimitName, String)] = [
            (.failedSignInByAccount, Self.victim), (.phoneCodeGuess, Self.number),
        ]
        for (limit, subject) in ways {
            let (decision, id) = try await fixture.consume(
                limit, subject, device: "phone", from: "192.0.2.1")
            #expect(!decision.limited, "hour \(hour): \(decision.limit)")
            if !id.isEmpty { try fixture.succeed(id, limit, subject, device: "phone") }
        }
    }

    /// The owner on a new device each hour: a reset link, and a new code.
    private func newDevice(_ fixture: LimitsFixture, _ hour: Int) async throws {
        let reset = try await fixture.consume(
            [
                ("password-reset-by-email", Self.victim),
                ("password-reset-by-address", "192.0.2.\(hour % 250)"),
            ], from: "192.0.2.\(hour % 250)")
        #expect(!reset.decision.limited, "hour \(hour): \(reset.decision.limit)")
        // A new code was sent just now. A wait of the number is one of minutes.
        let request = "pcr_\(hour)"
        var code = try await fixture.consume(
            .phoneCodeGuess, Self.number, device: "new\(hour)", target: request, from: "192.0.2.1")
        if code.decision.limited {
            #expect(code.decision.retryAfterMs <= 900_000, "hour \(hour)")
            fixture.time.advance(by: .milliseconds(Int64(code.decision.retryAfterMs)))
            code = try await fixture.consume(
                .phoneCodeGuess, Self.number, device: "new\(hour)", target: request,
                from: "192.0.2.1")
        }
        #expect(!code.decision.limited, "hour \(hour): \(code.decision.limit)")
    }
}
