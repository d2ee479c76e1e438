import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("A-01: an owner's changes of documents are recorded by the hour")
struct DocumentAuditTests {
    let fixture: DocumentFixture

    init() async throws {
        fixture = try await DocumentFixture()
        // The begin of an hour.
        let hour: Int64 = 3_600_000
        let rest = hour - fixture.identity.time.now().milliseconds % hour
        fixture.identity.time.advance(by: .milliseconds(rest))
    }

    private func purge() async throws {
        let purges = Purges(
            of: fixture.identity.store, IdentityTables.purges, time: fixture.identity.time)
        while try await purges.step() {}
    }

    /// Kind and number of documents of each record, in order.
    private func records() async throws -> [String] {
        try await fixture.identity.store.number(.audit)
        return try await fixture.identity.store.read { session in
            try session.query(
                "SELECT kind, attempt FROM audit WHERE kind LIKE 'document.%' ORDER BY number", []
            ) { "\(try $0.text(0)) \(try $0.integer(1))" }
        }
    }

    @Test("the first is recorded at once, the others with their number when the hour is over")
    func hour() async throws {
        for number in 0..<5 { _ = try await fixture.write("{\"a\":\(number)}") }
        _ = try await fixture.write([
            .make("settings", "b", "{}"), .make("settings", "c", "{}"),
        ])
        #expect(try await fixture.remove())
        #expect(try await fixture.remove("b"))
        let atOnce = ["document.written 1", "document.removed 1"]
        #expect(try await records() == atOnce)
        fixture.identity.time.advance(by: .milliseconds(3_599_999))
        try await purge()
        #expect(try await records() == atOnce)
        fixture.identity.time.advance(by: .milliseconds(1))
        try await purge()
        try await purge()
        let all = atOnce + ["document.written 6", "document.removed 1"]
        #expect(try await records() == all)
        #expect(try await fixture.identity.count("document_changes") == 0)
        _ = try await fixture.write("{}")
        #expect(try await records() == all + ["document.written 1"])
    }

    @Test("an hour with one change has one record, and another account has its own")
    func alone() async throws {
        _ = try await fixture.write("{}")
        let other = try await DocumentFixture(fixture.identity, isGuest: true)
        _ = try await other.write("{}")
        fixture.identity.time.advance(by: .seconds(3_600))
        try await purge()
        #expect(try await records() == ["document.written 1", "document.written 1"])
        #expect(try await fixture.identity.count("document_changes") == 0)
    }

    @Test("an account that is deleted leaves its records, and no count")
    func deleted() async throws {
        for number in 0..<3 { _ = try await fixture.write("{\"a\":\(number)}") }
        let account = try #require(AccountID(text: fixture.account))
        _ = try await fixture.identity.store.write(about: [.account(account)]) {
            try $0.recordDocumentChanges(of: account)
        }
        #expect(try await records() == ["document.written 1", "document.written 2"])
        #expect(try await fixture.identity.count("document_changes") == 0)
    }

    @Test("a write that is refused or repeated counts nothing")
    func nothing() async throws {
        _ = try await fixture.write("{}", key: "k")
        _ = try await fixture.write("{}", key: "k")
        _ = try await refusal { try await fixture.write("{}", base: 7) }
        #expect(try await fixture.documentsWritten() == 1)
    }
}
