import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-16: the job that moves a guest's documents", .timeLimit(.minutes(1)))
struct MigrationJobTests {
    private static let rules = """
        collections:
          proved:
            needs: verified
            fields: {x: {type: integer}}
        """

    @Test("what the quota refuses needs attention; after others were removed a retry moves it")
    func quota() async throws {
        let fixture = try await GuestDataFixture(
            settings: DocumentSettings(countMax: 3, bytesMax: 64 << 10))
        for name in ["a", "b"] { try await fixture.write("{}", name, by: fixture.token) }
        for name in ["c", "d"] { try await fixture.write("{}", name, by: fixture.ofGuest) }
        let migration = try await fixture.merge()
        #expect(migration.state == .needsAttention)
        #expect(migration.documents == 2 && migration.done == 1)
        #expect(migration.issues.map(\.code) == ["auth/document-quota"])
        #expect(migration.issues.map(\.name) == ["d"])
        #expect(try await !fixture.isGuestEnding())
        #expect(try await fixture.documents(fixture.ofGuest).count == 1, "nothing is lost")
        #expect(try await fixture.identity.audited("guest-data.needs-attention") == 1)
        try await fixture.identity.relay()
        #expect(fixture.identity.templates.last == "guest-data-attention")
        // A retry without a change comes to the same.
        #expect(try await fixture.retry(migration.migrationId).state == .waiting)
        try await fixture.handler.job.run()
        #expect(try await fixture.migration().state == .needsAttention)
        _ = try await fixture.identity.service.data.documents.removeDocument(
            .init(
                collection: "settings",
                name: "a"), fixture.identity.relayed(fixture.token))
        _ = try await fixture.retry(migration.migrationId)
        try await fixture.handler.job.run()
        let ended = try await fixture.migration()
        #expect(ended.state == .succeeded && ended.done == 2 && ended.issues.isEmpty)
        #expect(
            Set(try await fixture.documents(fixture.token).keys)
                == ["settings/b", "settings/c", "settings/d"])
        #expect(try await fixture.isGuestEnding())
        #expect(try await fixture.retry(migration.migrationId).state == .succeeded)
    }

    @Test(
        "nothing is moved while one of the two is suspended; it goes on when it is restored",
        arguments: [true, false])
    func suspended(guest: Bool) async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "a", by: fixture.ofGuest)
        _ = try await fixture.choose(.merge, try await fixture.choiceToken())
        let account = try #require(
            AccountID(text: guest ? fixture.guest.account : fixture.account))
        let store = fixture.identity.store
        _ = try await store.write(about: [.account(account)]) { try $0.apply(.suspend, account) }
        try await fixture.handler.job.run()
        #expect(try await fixture.identity.count("guest_migrations", where: "state = 1") == 1)
        #expect(try await !fixture.isGuestEnding())
        _ = try await store.write(about: [.account(account)]) { try $0.apply(.restore, account) }
        try await fixture.handler.job.run()
        #expect(try await fixture.migration().state == .succeeded)
        #expect(try await fixture.documents(fixture.token) == ["settings/a": "{}"])
    }

    @Test("a collection that needs a verified address waits for it")
    func needs() async throws {
        let fixture = try await GuestDataFixture(rules: Self.rules, isProved: false)
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        // Only a backend can write this for a guest.
        try await fixture.writeByBackend(
            #"{"x":1}"#, "main", in: "proved", of: fixture.guest.account)
        let migration = try await fixture.merge()
        #expect(migration.state == .needsAttention && migration.done == 1)
        #expect(migration.issues.map(\.code) == ["auth/email-not-verified"])
        try await fixture.identity.relay()
        _ = try await fixture.identity.accounts.confirmEmail(
            .init(token: try fixture.identity.latestToken()),
            fixture.identity.relayed(fixture.token))
        _ = try await fixture.retry(migration.migrationId)
        try await fixture.handler.job.run()
        #expect(try await fixture.migration().state == .succeeded)
        #expect(try await fixture.documents(fixture.token)["proved/main"] == #"{"x":1}"#)
    }

    @Test("a newer document of the guest changes no field that the owner cannot change")
    func ownersFields() async throws {
        let fixture = try await GuestDataFixture(
            rules: """
                collections:
                  wallet:
                    fields:
                      credit: {type: integer, default: 10, server-only: true}
                      trial: {type: text, server-only: true}
                      birth-date: {type: date, read-only: true}
                      code: {type: text, read-only: true}
                      color: {type: text}
                """)
        try await fixture.writeByBackend(
            #"{"birth-date":"2000-01-31","color":"red","credit":0}"#, "main", in: "wallet",
            of: fixture.account)
        try await fixture.write(
            #"{"birth-date":"1999-01-31","color":"blue","code":"x"}"#, "main", in: "wallet",
            by: fixture.ofGuest)
        try await fixture.write("{}", "other", in: "wallet", by: fixture.ofGuest)
        #expect(try await fixture.merge().state == .succeeded)
        let documents = try await fixture.documents(fixture.token)
        #expect(
            documents["wallet/main"]
                == #"{"birth-date":"2000-01-31","color":"blue","code":"x","credit":0}"#)
        #expect(documents["wallet/other"] == #"{"credit":10}"#)
    }

    @Test("many documents are moved in steps, and followers of both accounts are woken")
    func steps() async throws {
        let fixture = try await GuestDataFixture()
        for number in 0..<45 { try await fixture.write("{}", "d\(number)", by: fixture.ofGuest) }
        let chosen = try await fixture.choose(.merge, try await fixture.choiceToken())
        let id = try #require(MigrationID(text: chosen.migrationId))
        let job = fixture.handler.job
        var done: [UInt32] = []
        while true {
            let stored = try #require(
                try await fixture.identity.store.read { try $0.migration(id) })
            guard try await job.advance(stored) else { break }
            done.append(try await fixture.migration().done)
        }
        #expect(done == [0, 20, 40])
        let ended = try await fixture.migration()
        #expect(ended.state == .succeeded && ended.done == 45 && ended.documents == 45)
        #expect(try await fixture.documents(fixture.token).count == 45)
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
    }

    @Test("a stream has each state, and ends with the migration")
    func watched() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let chosen = try await fixture.choose(.merge, try await fixture.choiceToken())
        let stream = fixture.watchMigration(.init())
        let first = try #require(try await stream.next()?.migration)
        #expect(first.migrationId == chosen.migrationId && first.state == .waiting)
        try await fixture.handler.job.run()
        var last = first
        while let item = try await stream.next() { last = try #require(item.migration) }
        #expect(last.state == .succeeded)
        let again = fixture.watchMigration(.init(migrationId: chosen.migrationId))
        #expect(try await again.next()?.migration?.state == .succeeded)
        #expect(try await again.next() == nil)
    }

    @Test("a migration is its account's only")
    func strangers() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        let id = try #require(try await fixture.signIn().collision?.migration).migrationId
        let eve = try await fixture.identity.member("eve@example.org")
        for id in [id, ""] {
            let error = try await refusal {
                try await fixture.handler.getMigration(
                    .init(migrationId: id), fixture.identity.relayed(eve.token))
            }
            #expect(error.code == .notFound)
        }
        let error = try await refusal {
            try await fixture.handler.retryMigration(
                .init(migrationId: id), fixture.identity.relayed(eve.token))
        }
        #expect(error.code == .notFound)
        #expect(
            try await refusal {
                try await fixture.handler.getMigration(
                    .init(migrationId: "mig_"), fixture.identity.relayed(fixture.token))
            }.code == .invalidArgument)
    }

    @Test("while the account is being deleted nothing is moved; the guest's end ends a migration")
    func deleted() async throws {
        let fixture = try await GuestDataFixture(.merge)
        try await fixture.write("{}", "main", by: fixture.ofGuest)
        _ = try await fixture.signIn()
        let ids = [fixture.account, fixture.guest.account].compactMap(AccountID.init(text:))
        let store = fixture.identity.store
        _ = try await store.write(about: [.account(ids[0])]) {
            try $0.apply(.beginDeletion, ids[0])
        }
        try await fixture.handler.job.run()
        _ = try await store.write(about: [.account(ids[0])]) {
            try $0.apply(.cancelDeletion, ids[0])
        }
        #expect(try await fixture.migration().state == .waiting)
        _ = try await store.write(about: [.account(ids[1])]) {
            try $0.apply(.beginDeletion, ids[1])
        }
        try await fixture.handler.job.run()
        let ended = try await fixture.migration()
        #expect(ended.state == .succeeded)
        #expect(ended.documents == 1 && ended.done == 0, "it says that none was moved")
        #expect(try await fixture.documents(fixture.token).isEmpty)
    }
}
