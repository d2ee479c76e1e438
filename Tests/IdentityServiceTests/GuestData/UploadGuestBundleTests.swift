import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("G-16: documents that an app kept on the device", .timeLimit(.minutes(1)))
struct UploadGuestBundleTests {
    private func now(_ fixture: GuestDataFixture) -> Int64 {
        fixture.identity.time.now().milliseconds
    }

    @Test("a bundle is migrated: newer wins, with the device's times")
    func uploaded() async throws {
        let fixture = try await GuestDataFixture()
        try await fixture.write(#"{"of":"account"}"#, "a", by: fixture.token)
        try await fixture.write(#"{"of":"account"}"#, "b", by: fixture.token)
        fixture.identity.time.advance(by: .seconds(60))
        let last = try await fixture.upload([
            .make("a", #"{"of":"device"}"#, at: now(fixture) - 3_600_000),
            .make("b", #"{"of":"device"}"#, at: now(fixture)),
            .make("c", #"{"of":"device"}"#, in: "goals"),
        ])
        #expect(last.receivedDocuments == 3)
        let migration = try #require(last.migration)
        #expect(migration.state == .waiting && migration.choice == .unspecified)
        #expect(migration.documents == 3 && migration.migrationId.hasPrefix("mig_"))
        try await fixture.handler.job.run()
        let ended = try await fixture.migration()
        #expect(ended.migrationId == migration.migrationId)
        #expect(ended.state == .succeeded && ended.done == 3)
        #expect(
            try await fixture.documents(fixture.token) == [
                "settings/a": #"{"of":"account"}"#, "settings/b": #"{"of":"device"}"#,
                "goals/c": #"{"of":"device"}"#,
            ])
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
    }

    @Test("G-25: a repeat has the same migration; the same key with other documents is refused")
    func again() async throws {
        let fixture = try await GuestDataFixture()
        let documents = (0..<45).map { GatewayV1.BundledDocument.make("d\($0)") }
        let first = try #require(try await fixture.upload(documents, key: "k").migration)
        for _ in 0..<2 {
            let again = try #require(try await fixture.upload(documents, key: "k").migration)
            #expect(again.migrationId == first.migrationId)
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.documents(fixture.token).count == 45)
        #expect(try await fixture.identity.count("guest_migrations") == 1)
        let other = try await refusal {
            try await fixture.upload(documents.dropLast(), key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.identity.count("guest_migrations") == 1)
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
    }

    @Test("G-25: a repeat has the first answer, also when the first documents fill the quota")
    func againWhenFull() async throws {
        let fixture = try await GuestDataFixture(settings: DocumentSettings(bytesMax: 64 << 10))
        let text = #"{"x":"\#(String(repeating: "x", count: 30_000))"}"#
        let documents = (0..<2).map {
            GatewayV1.BundledDocument.make("d\($0)", text, in: "unknown")
        }
        let first = try #require(try await fixture.upload(documents, key: "k").migration)
        for _ in 0..<2 {
            let again = try await fixture.upload(documents, key: "k")
            #expect(again.migration?.migrationId == first.migrationId)
            #expect(again.receivedDocuments == 2)
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.migration().state == .needsAttention)
        let other = try await refusal {
            try await fixture.upload([.make("a", text)], key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await fixture.identity.count("guest_migrations") == 1)
        #expect(try await fixture.identity.count("guest_migration_documents") == 2)
    }

    @Test("an upload without a key that is repeated moves nothing twice")
    func twice() async throws {
        let fixture = try await GuestDataFixture()
        let documents = [GatewayV1.BundledDocument.make("a", #"{"x":1}"#, at: now(fixture))]
        fixture.identity.time.advance(by: .seconds(1))
        for _ in 0..<2 {
            _ = try await fixture.upload(documents)
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.documents(fixture.token) == ["settings/a": #"{"x":1}"#])
        #expect(try await fixture.migration().done == 1)
        #expect(try await fixture.identity.count("guest_migrations") == 2)
    }

    @Test("an owner's upload passes the rules as the owner's write, not as a backend's")
    func rules() async throws {
        let fixture = try await GuestDataFixture(
            rules: """
                collections:
                  wallet:
                    fields: {credit: {type: integer, server-only: true}, x: {type: integer}}
                """)
        _ = try await fixture.upload([
            .make("a", #"{"credit":1000}"#, in: "wallet"), .make("b", #"{"x":1}"#, in: "wallet"),
            .make("c", in: "unknown"), .make("d", in: "onboarding"),
        ])
        try await fixture.handler.job.run()
        let migration = try await fixture.migration()
        #expect(migration.state == .needsAttention && migration.done == 1)
        #expect(Set(migration.issues.map(\.name)) == ["a", "c", "d"])
        #expect(migration.issues.allSatisfy { $0.code == "auth/invalid-document" })
        #expect(try await fixture.documents(fixture.token) == ["wallet/b": #"{"x":1}"#])
    }

    @Test("what is malformed is refused, and nothing of it is left")
    func malformed() async throws {
        let fixture = try await GuestDataFixture()
        func refused(
            _ documents: [GatewayV1.BundledDocument], announced: Int? = nil
        ) async throws -> ServiceError {
            try await refusal { try await fixture.upload(documents, announced: announced) }
        }
        #expect(try await refused([]).violations.first?.field == "documents")
        #expect(try await refused([], announced: 201).violations.first?.field == "documents")
        #expect(try await refused([.make("a")], announced: 2).code == .invalidArgument)
        #expect(try await refused([.make("a"), .make("b")], announced: 1).code == .invalidArgument)
        #expect(
            try await refused([.make("a"), .make("a")]).violations.first?.field
                == "document.name")
        #expect(try await refused([.make("a", "[]")]).code == .invalidDocument)
        #expect(try await refused([.make("a", in: "S")]).code == .invalidArgument)
        #expect(try await refused([.make("a", at: -1)]).code == .invalidArgument)
        #expect(try await fixture.identity.count("guest_migrations") == 0)
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
        #expect(
            try await refusal {
                try await fixture.handler.getMigration(
                    .init(), fixture.identity.relayed(fixture.token))
            }.code == .notFound)
    }

    @Test("a bundle larger than an account's documents is refused; a guest writes for itself")
    func limits() async throws {
        let fixture = try await GuestDataFixture(
            settings: DocumentSettings(bytesMax: 64 << 10))
        let text = #"{"x":"\#(String(repeating: "x", count: 30_000))"}"#
        let documents = (0..<3).map { GatewayV1.BundledDocument.make("d\($0)", text) }
        let full = try await refusal { try await fixture.upload(documents) }
        #expect(full.code == .documentQuota)
        #expect(try await fixture.identity.count("guest_migration_documents") == 0)
        _ = try await fixture.upload(documents.dropLast())
        let guest = try await refusal {
            try await fixture.upload([.make("a")], by: fixture.ofGuest)
        }
        #expect(guest.code == .accountRequired)
    }

    @Test("bundles that no collection takes do not pile up")
    func heldMax() async throws {
        let fixture = try await GuestDataFixture()
        let documents = (0..<200).map {
            GatewayV1.BundledDocument.make("d\($0)", in: "unknown")
        }
        for _ in 0..<5 {
            _ = try await fixture.upload(documents)
            try await fixture.handler.job.run()
        }
        #expect(try await fixture.identity.count("guest_migration_documents") == 1_000)
        let full = try await refusal { try await fixture.upload([.make("a")]) }
        #expect(full.code == .documentQuota && full.documentQuota?.documents == 1_000)
        #expect(try await fixture.identity.count("guest_migrations") == 5)
    }

    @Test("G-20, G-21: what waits to be moved is exported, and deleted with the account")
    func accountData() async throws {
        let fixture = try await GuestDataFixture()
        _ = try await fixture.upload([.make("a", #"{"x":1}"#, in: "unknown")])
        try await fixture.handler.job.run()
        let (identity, data) = (fixture.identity, fixture.identity.service.life.accountData)
        var (name, sent) = ("", [UInt8]())
        let items = data.collectAccountData(
            .init(subject: .init(accountId: fixture.account)),
            identity.context(application: "identity"))
        for try await item in items {
            switch item.part {
            case .file(let begun): name = begun
            case .data(let bytes): sent += name == "guest-data.json" ? bytes : []
            case nil: Issue.record("an item without a part")
            }
        }
        let text = String(decoding: sent, as: UTF8.self)
        #expect(text.contains(#""collection":"unknown","name":"a""#), "\(text)")
        #expect(text.contains(#""document":{"x":1}"#), "\(text)")
        let account = try #require(AccountID(text: fixture.account))
        _ = try await identity.store.write(about: [.account(account)]) {
            try $0.apply(.beginDeletion, account)
        }
        _ = try await data.forgetAccountData(
            .init(subject: .init(accountId: fixture.account)),
            identity.context(application: "identity"))
        for table in ["guest_migrations", "guest_migration_documents"] {
            #expect(try await identity.count(table) == 0)
        }
    }

    @Test("a bundle whose upload broke off is not seen, and purged")
    func brokenOff() async throws {
        let fixture = try await GuestDataFixture()
        let bundle = try #require(MigrationID(key: 7))
        let account = try #require(AccountID(text: fixture.account))
        try await fixture.identity.store.write(about: [.account(account)]) { transaction in
            try transaction.insert(
                StoredMigration(
                    migration: bundle, account: account, guest: nil, choice: nil,
                    state: .receiving, documents: 2, done: 0, sealedPicks: nil, keptUntil: nil,
                    createdAt: transaction.at, changedAt: transaction.at),
                expiresAt: transaction.at + StoredMigration.receivedWithin)
        }
        try await fixture.handler.job.run()
        #expect(try await refusal { try await fixture.migration(bundle.text) }.code == .notFound)
        #expect(try await refusal { try await fixture.migration() }.code == .notFound)
        fixture.identity.time.advance(by: StoredMigration.receivedWithin + .seconds(1))
        try await fixture.identity.purge()
        #expect(try await fixture.identity.count("guest_migrations") == 0)
    }
}
