import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-01: an account is complete for the first time", .timeLimit(.minutes(1)))
struct ProfileCompletionTests {
    /// The seconds of all records of the moment.
    private func completions(_ fixture: IdentityFixture) async throws -> [Int64] {
        try await fixture.store.read { session in
            try session.query(
                "SELECT attempt FROM audit WHERE kind = ?",
                [.text(AuditKind.profileCompleted.rawValue)]
            ) { try $0.integer(0) }
        }
    }

    private func incomplete(_ fixture: IdentityFixture) async throws -> Int64 {
        try await fixture.count("profiles", where: "completed_at_ms IS NULL")
    }

    @Test("an app that asks for nothing: every sign-up is complete at once, without a record")
    func nothing() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register()
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        #expect(try await incomplete(fixture) == 0)
        #expect(try await completions(fixture).isEmpty)
    }

    @Test("a demanded name: at the sign-up that has one, or later, with the seconds, and once")
    func name() async throws {
        let fixture = try IdentityFixture(displayName: .required)
        _ = try await fixture.register()
        #expect(try await completions(fixture) == [0])
        let account = try await fixture.account(by: .token("g1", email: "eve@example.org"))
        #expect(try await incomplete(fixture) == 1)
        fixture.time.advance(by: .milliseconds(90_999))
        let session = fixture.devices.open(account.accountId)
        for name in ["Eve", "", "Eva"] {
            _ = try await fixture.service.data.profiles.updateProfile(
                .init(name: .displayName(name)), fixture.relayed(session))
        }
        #expect(try await completions(fixture).sorted() == [0, 90])
        #expect(try await incomplete(fixture) == 0)
    }

    @Test("D0: onboarding that is completed, which writes the documents that rules require")
    func onboarding() async throws {
        let fixture = try await OnboardingFixture()
        fixture.identity.time.advance(by: .seconds(60))
        try await fixture.saveAll()
        #expect(try await completions(fixture.identity).isEmpty)
        for _ in 0..<2 { _ = try await fixture.complete() }
        try await fixture.restart()
        try await fixture.saveAll()
        _ = try await fixture.complete()
        #expect(try await completions(fixture.identity) == [60])
    }

    @Test("documents that exist make an account complete, also without a completion")
    func documents() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.write("profile", #"{"name":"Ada"}"#)
        #expect(try await completions(fixture.identity).isEmpty)
        try await fixture.write("goals", #"{"target":7}"#)
        #expect(try await completions(fixture.identity) == [0])
    }

    @Test("a guest is never complete; the account that it becomes is, at its next step")
    func guest() async throws {
        let fixture = try await OnboardingFixture(isGuest: true)
        try await fixture.saveAll()
        _ = try await fixture.complete()
        #expect(try await completions(fixture.identity).isEmpty)
        _ = try await fixture.identity.signIn(
            by: .token("g1", email: "ada@example.org"), guest: fixture.token)
        #expect(try await completions(fixture.identity).count == 1)
    }

    @Test("an account from before, or of the older program, counts as complete")
    func older() async throws {
        let fixture = try IdentityFixture(displayName: .required)
        _ = try await fixture.account(by: .token("g1", email: "eve@example.org"))
        try await fixture.change("UPDATE profiles SET completed_at_ms = 0")
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org", name: "Eve"))
        #expect(try await completions(fixture).isEmpty)
        let standard = try await fixture.store.writeUnchecked { transaction -> Int64? in
            let key = try transaction.queryOne("SELECT account FROM accounts") {
                try $0.integer(0)
            }
            _ = try transaction.execute("DELETE FROM profiles")
            _ = try transaction.execute(
                "INSERT INTO profiles (account, display_name, language) VALUES (?, x'00', 'en')",
                [SQLValue(key)])
            return try transaction.queryOne("SELECT completed_at_ms FROM profiles") {
                try $0.integer(0)
            }
        }
        #expect(standard == 0)
    }

    @Test("where the operator asks for less, the next sign-in notices")
    func fewer() async throws {
        let fixture = try IdentityFixture(displayName: .required)
        _ = try await fixture.register()
        try await fixture.change("UPDATE profiles SET completed_at_ms = NULL")
        fixture.time.advance(by: .seconds(5))
        _ = try await fixture.signIn()
        #expect(try await completions(fixture).sorted() == [0, 5])
    }
}
