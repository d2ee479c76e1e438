import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("I-07: quotas of documents, and what an account needs to write them")
struct DocumentQuotaTests {
    @Test(
        "a measure above its maximum may not grow",
        arguments: [
            // documents before and after, bytes before and after, accepted
            (0, 2, 0, 100, true), (2, 3, 0, 100, false), (2, 2, 0, 101, false),
            (5, 4, 0, 100, true), (5, 5, 200, 200, true), (5, 5, 200, 201, false),
            (5, 4, 200, 150, true), (5, 6, 200, 150, false),
        ] as [(Int64, Int64, Int64, Int64, Bool)])
    func table(before: Int64, after: Int64, from: Int64, to: Int64, accepted: Bool) {
        let quota = DocumentQuota(
            isGuest: false, DocumentSettings(countMax: 2, bytesMax: 100, guestBytesMax: 10))
        let check = {
            try quota.check(
                DocumentTotals(documents: before, bytes: from),
                DocumentTotals(documents: after, bytes: to))
        }
        if accepted {
            #expect(throws: Never.self) { try check() }
        } else {
            #expect(throws: ServiceError.self) { try check() }
        }
    }

    @Test("an account's documents are counted, and a refusal has the figures")
    func figures() async throws {
        let fixture = try await DocumentFixture(
            settings: DocumentSettings(countMax: 2, bytesMax: 30))
        _ = try await fixture.write(#"{"a":"12345"}"#, to: "a")
        _ = try await fixture.write("{}", to: "b")
        let third = try await refusal { try await fixture.write("{}", to: "c") }
        #expect(third.code == .documentQuota)
        let quota = ServiceError.DocumentQuota(
            documents: 2, documentsMax: 2, bytes: 15, bytesMax: 30)
        #expect(third.documentQuota == quota)
        let large = try await refusal {
            try await fixture.write(#"{"a":"1234567890123"}"#, to: "b")
        }
        #expect(large.documentQuota == quota)
        #expect(try await fixture.remove("a"))
        _ = try await fixture.write(#"{"a":"1234567890123"}"#, to: "b")
        _ = try await fixture.write("{}", to: "a")
        #expect(try await fixture.identity.count("document_totals", where: "documents = 2") == 1)
        #expect(try await fixture.identity.count("document_totals", where: "bytes = 23") == 1)
        #expect(try await fixture.identity.count("document_totals", where: "removals = 0") == 1)
    }

    @Test("a document can be made smaller after the quota was lowered")
    func smaller() async throws {
        let fixture = try await DocumentFixture()
        _ = try await fixture.write(#"{"a":"12345678901234567890"}"#)
        let lowered = try await DocumentFixture(
            fixture.identity, settings: DocumentSettings(countMax: 1, bytesMax: 5), isGuest: true)
        func write(_ json: String) async throws -> Int64? {
            try await lowered.handler.writeDocuments(
                .init(writes: [.make("settings", "main", json)]), fixture.context()
            ).written.first?.version
        }
        #expect(try await write(#"{"a":"1234567890"}"#) == 2)
        #expect(
            try await refusal { try await write(#"{"a":"12345678901"}"#) }.code
                == .documentQuota)
    }

    @Test("a guest has less")
    func guest() async throws {
        let fixture = try await DocumentFixture(
            settings: DocumentSettings(guestBytesMax: 10), isGuest: true)
        _ = try await fixture.write("{}")
        let error = try await refusal { try await fixture.write(#"{"a":"12345"}"#) }
        #expect(error.documentQuota?.bytesMax == 10)
    }

    private static let rules = DocumentRules(
        collections: [
            CollectionRules(name: "saved", need: .account),
            CollectionRules(name: "shared", need: .verified),
        ], onboarding: nil)

    @Test("D3 FR-001b: a guest is asked for an account, an account for a verified address")
    func needs() async throws {
        let guest = try await DocumentFixture(rules: Self.rules, isGuest: true)
        _ = try await guest.write("{}")
        for collection in ["saved", "shared"] {
            let error = try await refusal { try await guest.write("{}", in: collection) }
            #expect(error.code == .accountRequired)
        }
        let account = try await DocumentFixture(rules: Self.rules)
        _ = try await account.write("{}", in: "saved")
        let error = try await refusal { try await account.write("{}", in: "shared") }
        #expect(error.code == .emailNotVerified)
        try await account.identity.change("UPDATE email_addresses SET proved_at_ms = 1")
        _ = try await account.write("{}", in: "shared")
    }

    @Test("G-18: only the calls of onboarding write and remove its documents")
    func onboarding() async throws {
        let fixture = try await DocumentFixture()
        let error = try await refusal { try await fixture.write("{}", in: "onboarding") }
        #expect(error.code == .invalidDocument)
        #expect(error.violations.map(\.rule) == ["server-only"])
        #expect(error.fields == ["writes[0].collection"])
        #expect(try await !fixture.remove(in: "onboarding"))
    }
}

extension DocumentQuotaTests {
    @Test("a removed document does not exist, and its row has no content")
    func removed() async throws {
        let fixture = try await DocumentFixture()
        #expect(try await !fixture.remove())
        _ = try await fixture.write(#"{"a":1}"#)
        let error = try await refusal { try await fixture.remove(base: 2) }
        #expect(error.code == .documentConflict && error.currentVersion == 1)
        #expect(try await fixture.remove(base: 1))
        #expect(try await refusal { try await fixture.read() }.code == .notFound)
        #expect(try await fixture.list().documents.isEmpty)
        #expect(try await fixture.identity.audited("document.removed") == 1)
        #expect(
            try await fixture.identity.count("documents", where: "bytes = 0 AND is_removed = 1")
                == 1)
    }

    @Test("the oldest of more than 200 removals are forgotten")
    func forgotten() async throws {
        let fixture = try await DocumentFixture()
        for start in stride(from: 0, to: 205, by: 41) {
            _ = try await fixture.write(
                (start..<start + 41).map { .make("settings", "\($0)", "{}") })
            for name in start..<start + 41 { #expect(try await fixture.remove("\(name)")) }
        }
        #expect(try await fixture.identity.count("documents") == 200)
        #expect(try await fixture.identity.count("document_totals", where: "removals = 200") == 1)
        // Its versions begin again; the others go on.
        #expect(try await fixture.write("{}", to: "0").version == 1)
        #expect(try await fixture.write("{}", to: "204").version == 3)
    }
}
