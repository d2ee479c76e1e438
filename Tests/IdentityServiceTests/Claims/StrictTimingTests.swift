import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-02: the time of a sign-up under strict enumeration", .timeLimit(.minutes(5)))
struct StrictTimingTests {
    /// Interleaved samples of each kind. Only a long run checks the promised bounds.
    private static let rounds = SoakRounds.isLong ? 2_000 : 80

    @Test("X-02: free, claimed and owned addresses take the same time")
    func alike() async throws {
        // The hash of production, whose time is a part of what a caller can measure.
        let fixture = try IdentityFixture(
            parameters: PasswordHashPool.Settings().parameters, enumeration: .strict)
        let owner = try #require(try await fixture.register("owned@example.org").account)
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()),
            fixture.relayed(fixture.devices.open(owner.accountId)))
        var samples: [String: [Double]] = [:]
        for round in 0..<Self.rounds {
            // Three sign-ups an hour send a mail to one address (`UnrequestedMailRule`).
            fixture.time.advance(by: .seconds(1_200))
            for kind in ["free", "claimed", "owned"] {
                let email = kind == "free" ? "free\(round)@example.org" : "\(kind)@example.org"
                let took = try await ContinuousClock().measure {
                    _ = try await fixture.register(email)
                }
                samples[kind, default: []].append(took / .microseconds(1))
            }
        }
        let free = TimeSample(samples["free"] ?? [])
        for kind in ["claimed", "owned"] {
            let other = TimeSample(samples[kind] ?? [])
            let t = free.welchT(other)
            let gap = other.gap(to: free)
            print(
                """
                X-02: sign-up on a free address takes \(Int(free.median)) µs in the middle, on \
                one that is \(kind) \(Int(other.median)) µs: \(gap * 100) %, t = \(t)
                """)
            #expect(abs(t) < 10)
            #expect(gap <= (SoakRounds.isLong ? 0.05 : 0.25))
        }
    }
}
