import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("S-06: each end of all an account's sessions raises its session generation")
struct AccountGenerationTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func generation(of account: AccountID) async throws -> Int64 {
        try #require(try await fixture.store.read { try $0.account(account) }).sessionGeneration
    }

    /// Ends the account's sessions, as every flow does.
    private func end(_ account: AccountID, before earlier: Duration = .zero) async throws {
        let outbox = fixture.outbox
        try await fixture.store.writeUnchecked { transaction in
            try transaction.endSessions(
                of: account, provedUntil: transaction.at - earlier, outbox)
        }
    }

    @Test("a reset raises it: its own proof has the new one, a sign-in before it the former one")
    func reset() async throws {
        let account = try await fixture.registerProved()
        let before = try #require(try await fixture.signIn().proof)
        let answer = try await fixture.resetPassword()
        let after = try #require(answer.proof)
        try await fixture.relay()
        let ended = try #require(fixture.sessions.ended.last)
        #expect(ended.accountId == account.accountId)
        #expect(before.sessionGeneration > 0)
        #expect(before.sessionGeneration < ended.sessionGeneration)
        #expect(after.sessionGeneration == ended.sessionGeneration)
        #expect(fixture.keys.proofs.isGenuine(after))
        let next = try #require(try await fixture.signIn(password: "Owner8Password").proof)
        #expect(next.sessionGeneration == ended.sessionGeneration)
    }

    @Test("ends within one millisecond, and after the clock's time of an earlier one, differ")
    func order() async throws {
        let account = try #require(AccountID(text: try await fixture.registerProved().accountId))
        var last = try await generation(of: account)
        for _ in 0..<3 {
            try await end(account)
            let next = try await generation(of: account)
            #expect(next > last)
            last = next
        }
        let ahead = last + 86_400_000
        try await fixture.change(
            "UPDATE accounts SET session_generation = ?", [.integer(ahead)])
        try await end(account)
        #expect(try await generation(of: account) == ahead + 1)
    }

    @Test("after a restored backup a new end is above the generations of the lost store")
    func restored() async throws {
        let account = try #require(AccountID(text: try await fixture.registerProved().accountId))
        try await end(account)
        let lost = try await generation(of: account)
        try await fixture.change("UPDATE accounts SET session_generation = 1")
        fixture.time.advance(by: .milliseconds(1))
        try await end(account)
        #expect(try await generation(of: account) > lost)
    }

    @Test("G-24: an end at an earlier time raises nothing, and compares times")
    func earlier() async throws {
        let account = try #require(AccountID(text: try await fixture.registerProved().accountId))
        let before = try await generation(of: account)
        let now = fixture.time.now()
        try await end(account, before: .seconds(5))
        #expect(try await generation(of: account) == before)
        try await fixture.relay()
        #expect(fixture.sessions.ended.last?.sessionGeneration == 0)
        func owner(_ provedAt: Timestamp) -> SessionOwner {
            SessionOwner(
                account: account, session: "ses_a", provedAt: provedAt, generation: before)
        }
        let (old, new) = (owner(now - .seconds(5)), owner(now))
        #expect(try await fixture.store.read { try $0.hasEnded(old) })
        #expect(try await !fixture.store.read { try $0.hasEnded(new) })
    }

    @Test("a session of an earlier generation has ended here, though its clock was ahead")
    func clocks() async throws {
        let account = try #require(AccountID(text: try await fixture.registerProved().accountId))
        let former = try await generation(of: account)
        try await end(account)
        let current = try await generation(of: account)
        let (late, early) = (
            fixture.time.now() + .seconds(300), fixture.time.now() - .seconds(300)
        )
        func owner(_ provedAt: Timestamp, _ generation: Int64) -> SessionOwner {
            SessionOwner(
                account: account, session: "ses_a", provedAt: provedAt, generation: generation)
        }
        let (old, new, unknown) = (owner(late, former), owner(early, current), owner(early, 0))
        #expect(try await fixture.store.read { try $0.hasEnded(old) })
        #expect(try await !fixture.store.read { try $0.hasEnded(new) })
        #expect(try await fixture.store.read { try $0.hasEnded(unknown) }, "times are compared")
    }

    @Test("accounts of earlier stores have the first generation, and that version runs on")
    func earlierStore() async throws {
        let folder = try TemporaryFolder()
        func open(_ steps: Int) throws -> Store {
            try TestStore.open(
                "identity", Array(IdentityTables.migrations.prefix(steps)), in: folder.path,
                time: fixture.time)
        }
        let former = try open(10)
        try await former.writeUnchecked { transaction in
            _ = try transaction.execute(
                "INSERT INTO accounts (account, status, created_at_ms) VALUES (7, 1, 1000)")
        }
        former.close()
        let current = try open(IdentityTables.migrations.count)
        let generation = try await current.read { session in
            try session.queryOne("SELECT session_generation FROM accounts WHERE account = 7") {
                try $0.integer(0)
            }
        }
        #expect(generation == 1)
        current.close()
        let again = try open(10)
        defer {
            again.close()
            withExtendedLifetime(folder) {}
        }
        let changed = try await again.writeUnchecked { transaction in
            try transaction.execute(
                "UPDATE accounts SET sessions_void_before_ms = 5 WHERE account = 7")
        }
        #expect(changed == 1)
    }
}
