import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-04: the check for orphaned rows", .timeLimit(.minutes(1)))
struct OrphanCheckTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func check() async throws -> [String] {
        try await OrphanCheck(
            store: fixture.store, logger: fixture.log.logger(), metrics: fixture.metrics
        ).check()
        return fixture.metrics.prometheusText().split(separator: "\n").map(String.init)
            .filter { $0.contains("identity_orphans{") }
    }

    @Test("I-04: registrations leave no orphans")
    func none() async throws {
        _ = try await fixture.register()
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        _ = try await fixture.signInAsGuest()
        let lines = try await check()
        #expect(lines.count == 7)
        #expect(lines.allSatisfy { $0.hasSuffix(" 0") || $0.hasSuffix(" 0.0") })
        #expect(fixture.log.lines.allSatisfy { !$0.contains("orphan") })
    }

    @Test("I-04: an account without a profile is counted and logged")
    func found() async throws {
        _ = try await fixture.register()
        try await fixture.change("DELETE FROM profiles")
        let count = try await fixture.store.read { try $0.orphanCount() }
        #expect(count == OrphanCheck.Count(accountsWithoutProfile: 1, profilesWithoutAccount: 0))
        _ = try await check()
        #expect(fixture.log.lines.contains { $0.contains("orphan") })
    }

    @Test("I-04: an account without any sign-in method is found, except a guest")
    func withoutWayIn() async throws {
        _ = try await fixture.signIn(by: .token("g1"))
        _ = try await fixture.signInAsGuest()
        try await fixture.change("DELETE FROM identities")
        let count = try await fixture.store.read { try $0.orphanCount() }
        #expect(count.accountsWithoutWayIn == 1 && count.sum == 1)
    }

    @Test("I-04: an identity without an account cannot be inserted")
    func identityWithoutAccount() async throws {
        let insert = """
            INSERT INTO identities (account, look_up_key, method, details, linked_at_ms)
            VALUES (9, x'00', 'google', x'', 1)
            """
        await #expect(throws: SQLError.self) {
            try await fixture.store.writeUnchecked { try $0.execute(insert) }
        }
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("I-04: a profile without an account cannot be inserted")
    func forbidden() async throws {
        await #expect(throws: SQLError.self) {
            try await fixture.store.writeUnchecked {
                try $0.execute(
                    "INSERT INTO profiles (account, display_name, language) VALUES (9, x'', '')")
            }
        }
    }

    @Test("G-01: an account without a profile cannot sign in")
    func neverAnswered() async throws {
        let account = try #require(try await fixture.register().account)
        try await fixture.change("DELETE FROM profiles")
        let signIn = try await refusal { try await fixture.signIn() }
        #expect(signIn.code == .invalidCredential)
        let lookUp = try await refusal {
            try await fixture.accounts.getAccount(
                .init(accountId: account.accountId), fixture.context())
        }
        #expect(lookUp.code == .notFound)
    }

    @Test("I-04: the check runs at start and every hour")
    func hourly() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await fixture.tasks.run() }
            // The outbox relay, the purge, both checks, the sweep of photos and the response times'
            // floor sleep.
            await fixture.time.sleepers(6)
            _ = try await fixture.register()
            try await fixture.change("DELETE FROM profiles")
            #expect(fixture.log.lines.allSatisfy { !$0.contains("orphan") })
            fixture.time.advance(by: OrphanCheck.interval)
            while !fixture.log.lines.contains(where: { $0.contains("orphan") }) {
                await Task.yield()
            }
            group.cancelAll()
        }
    }
}
