import Contracts
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("I-07: documents are prepared outside of the transaction", .timeLimit(.minutes(2)))
struct ChangeDocumentsTests {
    /// A document of the longest size, with as many values as it can have.
    private static let long =
        #"{"x":["# + (0..<32_000).map { String($0 % 10) }.joined(separator: ",") + "]}"

    /// The two ways of a write that merges nothing.
    enum Way: CaseIterable {
        /// A small document, in the transaction alone.
        case atOnce
        /// A longer one.
        case prepared

        /// A document of this way.
        func json(_ number: Int) -> String {
            let count = self == .atOnce ? 0 : DocumentWrites.smallBytesMax
            return "{\"a\":\(number),\"t\":\"" + String(repeating: "t", count: count) + "\"}"
        }
    }

    /// A document of this length.
    private static func text(bytes: Int) -> String {
        #"{"t":""# + String(repeating: "t", count: bytes - 8) + #""}"#
    }

    /// Rules of a collection `notes` with one declared field, a text.
    private static func notes(
        _ field: String, pattern: TextPattern? = nil, defaultValue: JSONValue? = nil
    ) -> DocumentRules {
        let text = FieldRule(
            name: field,
            value: ValueRule(
                type: .text, range: nil, length: nil, pattern: pattern, choices: [], items: [],
                fields: [], allowsOtherFields: true),
            isRequired: false, defaultValue: defaultValue, isReadOnly: false, isServerOnly: false,
            isDisplayName: false, reason: nil)
        return DocumentRules(
            collections: [CollectionRules(name: "notes", fields: [text])], onboarding: nil)
    }

    /// A fixture whose store can be meddled with.
    private func meddled(
        rules: DocumentRules = .standard, isGuest: Bool = false
    ) async throws -> (DocumentFixture, MeddlingBackend) {
        var made: MeddlingBackend?
        let identity = try IdentityFixture { inner in
            let backend = MeddlingBackend(inner)
            made = backend
            return backend
        }
        let fixture = try await DocumentFixture(identity, rules: rules, isGuest: isGuest)
        return (fixture, try #require(made))
    }

    @Test("a refused removal and a refused write, unless small, do not wait for the writer")
    func refusals() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(Self.long)
        let writer = HeldWriter()
        async let held: Void = fixture.identity.store.write(about: []) { _ in writer.hold() }
        await writer.untilHeld(1)
        let conflict = try await refusal {
            try await fixture.write(Way.prepared.json(1), base: 7)
        }
        #expect(conflict.code == .documentConflict && conflict.currentVersion == 1)
        let unknown = try await refusal { try await fixture.write("{}", in: "unknown") }
        #expect(unknown.code == .invalidArgument)
        let merged = try await refusal {
            try await fixture.write(
                #"{"y":""# + String(repeating: "y", count: 2_000) + #""}"#, merge: true)
        }
        #expect(merged.code == .invalidDocument, "it was merged")
        let removal = try await refusal { try await fixture.remove(base: 7) }
        #expect(removal.code == .documentConflict)
        writer.release()
        try await held
    }

    @Test("SECURITY.md, Costs: 15 merges of a few bytes into long documents cost the writer little")
    func writerTime() async throws {
        let (fixture, backend) = try await meddled()
        let names = (0..<15).map { "d\($0)" }
        for name in names { _ = try await fixture.write(Self.long, to: name) }
        await backend.measure()
        let clock = ContinuousClock()
        let start = clock.now
        let written = try await fixture.write(
            names.map { .make("settings", $0, #"{"y":1}"#, merge: true) })
        let all = (clock.now - start) / .milliseconds(1)
        let writer = await backend.milliseconds()
        #expect(written.map(\.version) == [Int64](repeating: 2, count: 15))
        // In the transaction, nearly all of it was the writer's.
        #expect(writer < all / 5, "the writer \(writer) ms of \(all) ms")
    }

    @Test("SECURITY.md, Costs: the operator's rules for a small document cost the writer nothing")
    func rulesTime() async throws {
        // All of its states are alive at each letter.
        let (fixture, backend) = try await meddled(
            rules: Self.notes("t", pattern: try TextPattern("([a-z]{0,480})*")))
        await backend.measure()
        let (clock, reads) = (ContinuousClock(), backend.reads)
        let start = clock.now
        _ = try await fixture.write(
            Self.text(bytes: DocumentWrites.smallBytesMax), in: "notes")
        let all = (clock.now - start) / .milliseconds(1)
        let writer = await backend.milliseconds()
        #expect(backend.reads == reads, "it was not written at once")
        #expect(writer < all / 5, "the writer \(writer) ms of \(all) ms")
    }

    @Test("only small documents that need nothing of what is stored are written at once")
    func snapshots() async throws {
        let most = DocumentWrites.smallBytesMax
        let long = JSONValue.string(String(repeating: "a", count: most))
        let (fixture, backend) = try await meddled(
            rules: Self.notes("a", defaultValue: long))
        func reads(_ writes: [GatewayV1.DocumentWrite]) async throws -> Int {
            let before = backend.reads
            _ = try await fixture.write(writes)
            return backend.reads - before
        }
        func make(_ name: String, bytes: Int) -> GatewayV1.DocumentWrite {
            .make("settings", name, Self.text(bytes: bytes))
        }
        #expect(try await reads([make("a", bytes: most)]) == 0)
        #expect(try await reads([make("a", bytes: most + 1)]) == 1)
        #expect(try await reads([make("a", bytes: most / 2), make("b", bytes: most / 2)]) == 0)
        #expect(try await reads([make("a", bytes: 8), make("b", bytes: most / 2 + 1)]) == 1)
        #expect(try await reads(["a", "b", "c"].map { make($0, bytes: 8) }) == 1)
        #expect(try await reads([.make("settings", "a", "{}", merge: true)]) == 1)
        #expect(try await reads([.make("notes", "a", #"{"a":"short"}"#)]) == 0)
        #expect(try await reads([.make("notes", "a", "{}")]) == 1, "the default is long")
    }

    @Test("a small write and a longer one have the same outcomes", arguments: Way.allCases)
    func outcomes(way: Way) async throws {
        let fixture = try await DocumentFixture(settings: DocumentSettings(countMax: 1))
        let first = try await fixture.write(way.json(1), base: 0, key: "k")
        #expect(first.version == 1)
        #expect(try await fixture.write(way.json(2)).version == 2)
        #expect(try await fixture.write(way.json(1), base: 0, key: "k") == first, "a repeat")
        let reused = try await refusal { try await fixture.write(way.json(3), key: "k") }
        #expect(reused.code == .idempotencyKeyReused)
        let conflict = try await refusal { try await fixture.write(way.json(3), base: 1) }
        #expect(conflict.code == .documentConflict && conflict.currentVersion == 2)
        #expect(conflict.fields == ["writes[0].base_version"])
        let full = try await refusal { try await fixture.write(way.json(1), to: "other") }
        #expect(full.code == .documentQuota)
        #expect(try await fixture.read().json == way.json(2))
        #expect(try await fixture.documentsWritten() == 2)
        #expect(try await fixture.remove(base: 2))
        #expect(try await fixture.write(way.json(4), base: 0).version == 4)
        try await fixture.identity.change("UPDATE accounts SET status = 2")
        let suspended = try await refusal { try await fixture.write(way.json(5)) }
        #expect(suspended.code == .accountDisabled)
        #expect(try await fixture.documentsWritten() == 3)
    }

    @Test("a merge meets another write before its own: it is done again, and both have effect")
    func again() async throws {
        let (fixture, backend) = try await meddled()
        _ = try await fixture.write(#"{"a":1}"#)
        meddle(backend, fixture, #"{"a":1,"b":2}"#)
        let written = try await fixture.write(#"{"c":3}"#, merge: true)
        #expect(written.version == 3 && backend.left == 0)
        #expect(try await fixture.read().json == #"{"a":1,"b":2,"c":3}"#)
        #expect(try await fixture.documentsWritten() == 2)
        #expect(try await fixture.list().documents.count == 1)
    }

    @Test(
        "a write with a base version that meets another one is a conflict, with the new version",
        arguments: Way.allCases)
    func conflict(way: Way) async throws {
        let (fixture, backend) = try await meddled()
        _ = try await fixture.write(#"{"a":1}"#)
        meddle(backend, fixture, #"{"a":2}"#)
        let error = try await refusal { try await fixture.write(way.json(3), base: 1) }
        #expect(error.code == .documentConflict && error.currentVersion == 2)
        #expect(try await fixture.read().json == #"{"a":2}"#)
    }

    @Test(
        "an account that is suspended, or whose quota is used up, before the write is refused",
        arguments: Way.allCases)
    func accountChanges(way: Way) async throws {
        let (fixture, backend) = try await meddled()
        let account = try #require(AccountID(text: fixture.account))
        _ = try await fixture.write("{}")
        backend.meddle(about: [.account(account)]) { transaction in
            try transaction.put(
                "UPDATE document_totals SET bytes = ?, position = position + 1",
                [.integer(1 << 20)])
        }
        let full = try await refusal { try await fixture.write(way.json(1)) }
        #expect(full.code == .documentQuota)
        backend.meddle(about: [.account(account)]) { transaction in
            try transaction.put("UPDATE accounts SET status = 2", [])
        }
        let suspended = try await refusal { try await fixture.write(way.json(2)) }
        #expect(suspended.code == .accountDisabled)
        #expect(try await fixture.documentsWritten() == 1)
    }

    @Test(
        "an account's key that is replaced before the write: the new one seals",
        arguments: Way.allCases)
    func key(way: Way) async throws {
        let (fixture, backend) = try await meddled()
        let account = try #require(AccountID(text: fixture.account))
        let identity = fixture.identity
        let vault = try identity.writer.newVault(of: account)
        backend.meddle(about: [.account(account)]) { transaction in
            try transaction.put(
                "UPDATE account_keys SET sealed_key = ? WHERE account = ?",
                [.blob(vault.sealedKey), .integer(account.key)])
        }
        #expect(try await fixture.write(way.json(1)).version == 1)
        #expect(try await fixture.read().json == way.json(1), "it opens under the new key")
    }

    @Test(
        "a guest's choice that is made before the write keeps the document as it is",
        arguments: Way.allCases)
    func choice(way: Way) async throws {
        let (fixture, backend) = try await meddled(isGuest: true)
        _ = try await fixture.write(#"{"a":1}"#)
        let account = try #require(AccountID(text: fixture.account))
        backend.meddle(about: [.account(account)]) { transaction in
            try transaction.insert(
                StoredMigration(
                    migration: try #require(MigrationID(key: 7)), account: account, guest: account,
                    choice: .keep, state: .succeeded, documents: 0, done: 0, sealedPicks: nil,
                    keptUntil: nil, createdAt: transaction.at, changedAt: transaction.at),
                expiresAt: nil)
        }
        let error = try await refusal { try await fixture.write(way.json(2)) }
        #expect(error.code == .operationNotAllowed)
        #expect(try await fixture.read().json == #"{"a":1}"#)
    }

    @Test("documents that others change at each attempt: the caller can retry, nothing is written")
    func attempts() async throws {
        let (fixture, backend) = try await meddled()
        _ = try await fixture.write(#"{"a":1}"#)
        meddle(backend, fixture, #"{"a":2}"#, times: 3)
        let json = Way.prepared.json(3)
        let error = try await refusal { try await fixture.write(json, key: "k") }
        #expect(error.code == .unavailable && error.retryAfter == .milliseconds(250))
        #expect(backend.left == 0)
        #expect(try await fixture.read().json == #"{"a":2}"#)
        #expect(try await fixture.write(json, key: "k").version == 5)
        #expect(try await fixture.write(json, key: "k").version == 5, "a repeat")
    }

    @Test("many merges at one time: all have effect, and the work is done once for each")
    func many() async throws {
        let fixture = try await DocumentFixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    _ = try await fixture.write("{\"a\(number)\":\(number)}", merge: true)
                }
            }
            try await group.waitForAll()
        }
        let document = try await fixture.read()
        #expect(document.version == 30)
        #expect(DocumentText.object(in: document.json)?.members.count == 30)
    }

    @Test("G-25: two calls at one time with one key write once", arguments: Way.allCases)
    func sameKey(way: Way) async throws {
        let fixture = try await DocumentFixture()
        async let first = fixture.write(way.json(1), base: 0, key: "k")
        async let second = fixture.write(way.json(1), base: 0, key: "k")
        let versions = try await [first, second].map(\.version)
        #expect(versions == [1, 1])
        #expect(try await fixture.documentsWritten() == 1)
    }

    @Test("the documents that one call merges into have a bound together")
    func bound() async throws {
        let fixture = try await DocumentFixture(settings: DocumentSettings(bytesMax: 4 << 20))
        let text = #"{"a":""# + String(repeating: "x", count: (64 << 10) - 16) + #""}"#
        let names = (0..<17).map { "d\($0)" }
        for name in names { _ = try await fixture.write(text, to: name) }
        func merge(_ names: some Collection<String>) async throws -> [GatewayV1.WrittenDocument] {
            try await fixture.write(
                names.map { .make("settings", $0, #"{"y":1}"#, merge: true) })
        }
        let error = try await refusal { try await merge(names) }
        #expect(error.code == .invalidArgument && error.fields == ["writes"])
        #expect(error.violations.first?.userMessage.contains("several calls") == true)
        #expect(try await merge(names.dropLast()).count == 16)
    }

    @Test("work that was not paid for is not done; the answer names its price")
    func price() async throws {
        let fixture = try await DocumentFixture()
        func merge(paid units: UInt32) async throws -> [Int64] {
            var context = fixture.context()
            context.metadata[Metadata.Key.paidUnits] = String(units)
            return try await fixture.handler.writeDocuments(
                .init(writes: [
                    .make("settings", "long", #"{"y":1}"#, merge: true),
                    .make("settings", "short", #"{"y":1}"#, merge: true),
                ]), context
            ).written.map(\.version)
        }
        #expect(try await merge(paid: 1) == [1, 1])
        _ = try await fixture.write(Self.long, to: "long")
        for units: UInt32 in 1...3 {
            let error = try await refusal { try await merge(paid: units) }
            #expect(error.code == .tooManyRequests && error.unitsNeeded == 4)
        }
        #expect(try await fixture.read("short").version == 1)
        #expect(try await merge(paid: 4) == [3, 2])
        #expect(try await merge(paid: 0) == [4, 3], "it is not charged")
    }

    /// Has another write of `settings/main` committed, which no call of the account makes.
    private func meddle(
        _ backend: MeddlingBackend, _ fixture: DocumentFixture, _ json: String, times: Int = 1
    ) {
        guard let account = AccountID(text: fixture.account) else { return }
        backend.meddle(times: times, about: [.account(account)]) { transaction in
            try Self.write(json, fixture.handler, account, transaction)
        }
    }

    /// Writes a document in a flow of the test's own.
    static func write(
        _ json: String, _ handler: DocumentsHandler, _ account: AccountID,
        _ transaction: Transaction
    ) throws {
        let owner = try #require(try transaction.documentOwner(account))
        let owned = try handler.opened(owner)
        let key = DocumentKey(collection: "settings", name: "main")
        let former = try owned.document(key, in: transaction)
        _ = try transaction.write(
            [owned.sealed(DocumentChange(key: key, former: former?.state, json: json))], of: owner,
            within: DocumentQuota(isGuest: owner.isGuest, handler.settings))
    }
}
