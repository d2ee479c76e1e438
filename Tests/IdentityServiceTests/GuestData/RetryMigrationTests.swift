import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("G-16: documents that could not be moved are dropped", .timeLimit(.minutes(1)))
struct RetryMigrationTests {
    /// A guest's document that the quota of the account refuses.
    private func refused() async throws -> (GuestDataFixture, migration: String) {
        let fixture = try await GuestDataFixture(
            settings: DocumentSettings(countMax: 1, bytesMax: 64 << 10))
        try await fixture.write("{}", "a", by: fixture.token)
        try await fixture.write("{}", "b", by: fixture.ofGuest)
        let migration = try await fixture.merge()
        #expect(migration.state == .needsAttention)
        return (fixture, migration.migrationId)
    }

    @Test("of a bundle: it has succeeded, says how many were moved, and holds nothing any more")
    func bundle() async throws {
        let fixture = try await GuestDataFixture()
        let id = try #require(
            try await fixture.upload([.make("a", in: "unknown"), .make("b")]).migration
        ).migrationId
        #expect(try await fixture.retry(id, drop: true).state == .waiting, "it was not tried yet")
        try await fixture.handler.job.run()
        for _ in 0..<2 {
            let dropped = try await fixture.retry(id, drop: true)
            #expect(dropped.state == .succeeded && dropped.issues.isEmpty)
            #expect(dropped.documents == 2 && dropped.done == 1)
        }
        #expect(try await fixture.documents(fixture.token) == ["settings/b": "{}"])
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
        #expect(try await fixture.identity.audited("guest-data.chosen") == 2)
        fixture.identity.time.advance(by: StoredMigration.keptAfter + .seconds(1))
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("guest_migrations") == 0)
    }

    @Test("of a guest: they are deleted with it")
    func guest() async throws {
        let (fixture, id) = try await refused()
        let dropped = try await fixture.retry(id, drop: true)
        #expect(dropped.state == .succeeded && dropped.choice == .merge)
        #expect(dropped.documents == 1 && dropped.done == 0)
        let write = try await refusal {
            try await fixture.write("{}", "b", by: fixture.ofGuest)
        }
        #expect(write.code == .operationNotAllowed)
        try await fixture.handler.job.run()
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.documents(fixture.token) == ["settings/a": "{}"])
        fixture.identity.time.advance(by: StoredMigration.keptAfter + .seconds(1))
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("guest_migrations") == 0)
    }

    @Test("of a suspended guest: they are deleted with it when it is restored")
    func suspended() async throws {
        let (fixture, id) = try await refused()
        try await fixture.apply(.suspend)
        #expect(try await fixture.retry(id, drop: true).state == .succeeded)
        try await fixture.handler.job.run()
        #expect(try await !fixture.isGuestEnding())
        try await fixture.apply(.restore)
        try await fixture.handler.job.run()
        #expect(try await fixture.isGuestEnding())
    }
}
