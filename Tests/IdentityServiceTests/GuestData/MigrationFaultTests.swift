import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import PersonalData

@Suite("G-16: a migration that fails at any statement goes on", .timeLimit(.minutes(1)))
struct MigrationFaultTests {
    private static let documents = 23

    /// The documents of both sides: each is on exactly one of them.
    private func requireWhole(_ fixture: GuestDataFixture) async throws {
        let moved = try await fixture.documents(fixture.token)
        let account = try #require(AccountID(text: fixture.guest.account))
        let rest = try await fixture.identity.store.read { session in
            guard let owner = try session.documentOwner(account) else { return [String]() }
            let documents = try fixture.identity.service.data.documents.opened(owner)
            return try documents.open(session.documentPage(DocumentSelection(), of: account))
                .documents.map(\.key.name)
        }
        let names = moved.keys.map { String($0.dropFirst("settings/".count)) } + rest
        #expect(names.count == Self.documents && Set(names).count == Self.documents)
        let migration = try await fixture.migration()
        #expect(migration.done == UInt32(moved.count), "what is counted is what was moved")
    }

    @Test("each statement of each step fails once: nothing is lost, nothing is moved twice")
    func everyStatement() async throws {
        let plan = FailingEngine.Plan()
        let fixture = try await GuestDataFixture(.merge, engine: FailingEngine(plan))
        for number in 0..<Self.documents {
            try await fixture.write(#"{"n":\#(number)}"#, "d\(number)", by: fixture.ofGuest)
        }
        _ = try await fixture.signIn()
        let (job, store) = (fixture.handler.job, fixture.identity.store)
        var (failures, steps, isMore) = (0, 0, true)
        while isMore {
            let id = try #require(MigrationID(text: try await fixture.migration().migrationId))
            let stored = try #require(try await store.read { try $0.migration(id) })
            var (statement, hasFailed) = (1, true)
            while hasFailed {
                plan.fail(statement)
                do {
                    isMore = try await job.advance(stored)
                    hasFailed = plan.end()
                    #expect(!hasFailed, "a statement that failed was not noticed")
                    hasFailed = false
                } catch {
                    #expect(plan.end())
                    failures += 1
                    statement += 1
                    try await requireWhole(fixture)
                }
            }
            steps += 1
            try await requireWhole(fixture)
        }
        #expect(steps == 3, "it begins, moves 20, moves 3")
        #expect(failures > 60)
        #expect(try await fixture.migration().state == .succeeded)
        #expect(try await fixture.documents(fixture.token).count == Self.documents)
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.identity.audited("guest-data.migrated") == 1)
    }

    @Test("a choice that fails at any statement has no effect, and the next one has")
    func choice() async throws {
        let plan = FailingEngine.Plan()
        let fixture = try await GuestDataFixture(.ask, engine: FailingEngine(plan))
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let token = try await fixture.choiceToken()
        var (statement, chosen) = (1, GatewayV1.Migration?.none)
        while chosen == nil {
            plan.fail(statement)
            chosen = try? await fixture.choose(.discard, token)
            let hasFailed = plan.end()
            #expect(hasFailed == (chosen == nil))
            #expect(try await fixture.isGuestEnding() == (chosen != nil))
            statement += 1
        }
        #expect(statement > 8)
        #expect(try await fixture.identity.audited("guest-data.chosen") == 1)
        #expect(try await fixture.identity.count("guest_migrations") == 1)
    }

    @Test("one migration that cannot go on does not keep the others from it")
    func oneFails() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        let damaged = try await fixture.migration().migrationId
        try await fixture.identity.change("UPDATE guest_migrations SET picks = x'00'")
        let bundle = try #require(try await fixture.upload([.make("a")]).migration)
        await #expect(throws: (any Error).self) { try await fixture.handler.job.run() }
        #expect(try await fixture.migration(damaged).state == .running)
        #expect(try await fixture.migration(bundle.migrationId).state == .succeeded)
    }

    @Test("a kept guest that cannot be deleted does not keep migrations from going on")
    func keepFails() async throws {
        let fixture = try await GuestDataFixture(.keep)
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        fixture.identity.time.advance(by: GuestSettlement.keptFor)
        let guest = try #require(AccountID(text: fixture.guest.account))
        try await fixture.identity.change(
            "UPDATE accounts SET status = 99 WHERE account = ?", [.integer(guest.key)])
        let bundle = try #require(try await fixture.upload([.make("a")]).migration)
        await #expect(throws: (any Error).self) { try await fixture.handler.job.run() }
        #expect(try await fixture.migration(bundle.migrationId).state == .succeeded)
    }

    @Test("a document that cannot be opened, on either side, needs attention; others are moved")
    func unreadable() async throws {
        let fixture = try await GuestDataFixture(.merge)
        let identity = fixture.identity
        try await fixture.write("{}", "both", by: fixture.token)
        try await identity.change("UPDATE documents SET payload = x'00'")
        for name in ["a", "both", "c"] {
            try await fixture.write("{}", name, by: fixture.ofGuest)
        }
        let guest = try #require(AccountID(text: fixture.guest.account))
        try await identity.change(
            """
            UPDATE documents SET payload = x'00' WHERE document IN (
                SELECT document FROM documents WHERE account = ? ORDER BY position LIMIT 1)
            """, [.integer(guest.key)])
        _ = try await fixture.signIn()
        try await fixture.handler.job.run()
        let migration = try await fixture.migration()
        #expect(migration.state == .needsAttention && migration.done == 1)
        #expect(migration.issues.map(\.code) == ["rpc/internal", "rpc/internal"])
        #expect(Set(migration.issues.map(\.name)) == ["", "both"])
        #expect(
            identity.log.lines.filter { $0.contains("identity.guest_data.unreadable") }.count == 2)
        let left = "account = \(guest.key) AND is_removed = 0"
        #expect(try await identity.count("documents", where: left) == 2, "they are not lost")
    }

    @Test("a document of a bundle that cannot be opened needs attention; others are moved")
    func unreadableBundle() async throws {
        let fixture = try await GuestDataFixture()
        let bundle = try #require(
            try await fixture.upload([.make("a"), .make("b")]).migration)
        try await fixture.identity.change(
            """
            UPDATE guest_migration_documents SET payload = x'00' WHERE item IN (
                SELECT min(item) FROM guest_migration_documents)
            """)
        try await fixture.handler.job.run()
        let migration = try await fixture.migration(bundle.migrationId)
        #expect(migration.state == .needsAttention && migration.done == 1)
        #expect(
            migration.issues == [.init(collection: "", name: "", code: "rpc/internal")])
        #expect(try await fixture.documents(fixture.token).count == 1)
    }
}
