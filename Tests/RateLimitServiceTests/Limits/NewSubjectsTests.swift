import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-03: only a caller that invents subjects is limited", .timeLimit(.minutes(2)))
struct NewSubjectsTests {
    /// Charges subjects that have never been charged before.
    /// - Returns: how many were allowed.
    private func invent(
        _ fixture: LimitsFixture, _ count: Int, _ name: String = "user",
        from address: (Int) -> String
    ) async throws -> Int {
        var counted = 0
        for number in 0..<count {
            let (_, verdict) = try await fixture.decide(
                [("password-reset-by-email", "\(name)\(number)@example.org")],
                from: address(number))
            if !verdict.isLimited { counted += 1 }
        }
        return counted
    }

    @Test(
        "H1: one site can introduce at most 1,000 new subjects in an hour",
        arguments: ["2001:db8:1:%::1", "198.51.100.%"])
    func site(network: String) async throws {
        let fixture = try await LimitsFixture()
        var counted = 0
        // The first half at once, the rest in even steps.
        for minute in 0..<60 {
            counted += try await invent(fixture, 600, "\(minute)-") {
                network.replacing("%", with: "\($0 % 200)")
            }
            fixture.time.advance(by: .seconds(60))
        }
        #expect(counted <= 1_000 && counted > 950)
        #expect(fixture.service.limits.table.count <= 1_001)
        #expect(try await invent(fixture, 1, "other") { _ in "203.0.113.1" } == 1)
    }

    @Test("H1: at its limit, a site can still charge subjects that already have a state")
    func known() async throws {
        let fixture = try await LimitsFixture()
        _ = try await invent(fixture, 600) { _ in "198.51.100.7" }
        let known = try await fixture.consume(
            [("password-reset-by-email", "user0@example.org")], from: "198.51.100.7")
        #expect(!known.decision.limited)
        let new = try await fixture.consume(
            [("password-reset-by-email", "new@example.org")], from: "198.51.100.7")
        #expect(new.decision.limited && new.decision.limit == "new-subjects-by-site")
        #expect(new.decision.retryAfterMs < 10_000)
    }

    @Test("H1: a known device has its own limit, whatever its site has charged")
    func knownDevice() async throws {
        let fixture = try await LimitsFixture()
        try fixture.remember(.failedSignInByAccount, "ada@example.org", device: "owner")
        _ = try await invent(fixture, 600) { _ in "198.51.100.7" }
        let owner = try await fixture.consume(
            .failedSignInByAccount, "ada@example.org", device: "owner", from: "198.51.100.7")
        #expect(!owner.decision.limited)
        let stranger = try await fixture.consume(
            .failedSignInByAccount, "ada@example.org", device: "other", from: "198.51.100.7")
        #expect(stranger.decision.limited)
    }

    @Test("H1: a refunded subject does not count as new")
    func refunded() async throws {
        let fixture = try await LimitsFixture()
        for number in 0..<1_200 {
            let (decision, id) = try await fixture.consume(
                [("failed-sign-in-by-account", "user\(number)@example.org")],
                from: "198.51.100.7")
            try #require(!decision.limited)
            try await fixture.refund(id)
        }
        // Only the site's own state, which is empty.
        #expect(fixture.service.limits.table.count == 1)
    }

    @Test("H1: an application without addresses can introduce 60,000")
    func application() throws {
        #expect(
            SubjectSource.application("app").newSubjects.rule
                == .gcra(
                    count: 60_000, window: .seconds(3_600)))
    }

    @Test("H1: the address or name of the caller has 1 to 512 bytes", arguments: [0, 513])
    func flawed(bytes: Int) async throws {
        let fixture = try await LimitsFixture()
        await #expect(throws: ServiceError(.invalidArgument, fields: ["named_by"])) {
            try await fixture.consume(
                [("password-reset-by-email", "a")], from: String(repeating: "a", count: bytes))
        }
    }
}
