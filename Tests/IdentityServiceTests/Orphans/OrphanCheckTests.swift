import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-04: the check for orphaned rows", .timeLimit(.minutes(1)))
struct OrphanCheckTests {
    let house: IdentityFixture

    init() throws { house = try IdentityFixture() }

    private func check() async -> [String] {
        await OrphanCheck(
            store: house.store, time: house.time, logger: house.log.logger(),
            metrics: house.metrics
        ).check()
        return house.metrics.prometheusText().split(separator: "\n").map(String.init)
            .filter { $0.contains("identity_orphans{") }
    }

    @Test("I-04: registrations leave no orphans")
    func none() async throws {
        _ = try await house.register()
        _ = try await house.signIn(by: .token("g1", email: "eve@example.org"))
        _ = try await house.signInAsGuest()
        let lines = await check()
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasSuffix(" 0") || $0.hasSuffix(" 0.0") })
        #expect(house.log.lines.allSatisfy { !$0.contains("orphan") })
    }

    @Test("I-04: an account without a profile is counted and logged")
    func found() async throws {
        _ = try await house.register()
        try await house.change("DELETE FROM profiles")
        let count = try await house.store.read { try $0.orphanCount() }
        #expect(count == OrphanCount(accountsWithoutProfile: 1, profilesWithoutAccount: 0))
        _ = await check()
        #expect(house.log.lines.contains { $0.contains("orphan") })
    }

    @Test("I-04: an account without any sign-in method is found, except a guest")
    func withoutWayIn() async throws {
        _ = try await house.signIn(by: .token("g1"))
        _ = try await house.signInAsGuest()
        try await house.change("DELETE FROM identities")
        let count = try await house.store.read { try $0.orphanCount() }
        #expect(count.accountsWithoutWayIn == 1 && count.sum == 1)
    }

    @Test("I-04: an identity without an account cannot be inserted")
    func identityWithoutAccount() async throws {
        let insert = """
            INSERT INTO identities (account, look_up_key, method, details, linked_at_ms)
            VALUES (9, x'00', 'google', x'', 1)
            """
        await #expect(throws: SQLError.self) {
            try await house.store.write { try $0.execute(insert) }
        }
        #expect(try await house.count("identities") == 0)
    }

    @Test("I-04: a profile without an account cannot be inserted")
    func forbidden() async throws {
        await #expect(throws: SQLError.self) {
            try await house.store.write {
                try $0.execute(
                    "INSERT INTO profiles (account, display_name, language) VALUES (9, x'', '')")
            }
        }
    }

    @Test("G-01: an account without a profile cannot sign in")
    func neverAnswered() async throws {
        let account = try #require(try await house.register().account)
        try await house.change("DELETE FROM profiles")
        let signIn = try await refusal { try await house.signIn() }
        #expect(signIn.code == .invalidCredential)
        let lookUp = try await refusal {
            try await house.accounts.getAccount(
                .init(accountId: account.accountId), house.context())
        }
        #expect(lookUp.code == .notFound)
    }

    @Test("I-04: the check runs at start and every hour")
    func hourly() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await house.tasks.run() }
            // The outbox relay and the check both sleep.
            await house.time.sleepers(2)
            _ = try await house.register()
            try await house.change("DELETE FROM profiles")
            #expect(house.log.lines.allSatisfy { !$0.contains("orphan") })
            house.time.advance(by: OrphanCheck.interval)
            while !house.log.lines.contains(where: { $0.contains("orphan") }) {
                await Task.yield()
            }
            group.cancelAll()
        }
    }
}
