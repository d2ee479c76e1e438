import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

/// Attack: somebody reads the owner's mail, and deletes for good what a second factor protects.
@Suite("G-19, F-03: the deletion of an account with a second factor", .timeLimit(.minutes(1)))
struct ProtectedDeletionTests {
    private static let wait: Duration = .seconds(7 * 24 * 3_600)

    let fixture: IdentityFixture
    let ada: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        (ada, token) = try await fixture.person()
    }

    /// A mailed link to the page that deletes the account.
    private func link() async throws -> DeletionCall.Token {
        _ = try await fixture.deletions.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        let mail = try #require(try await fixture.delivered("deletion-link"))
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        let start = "https://app.example/delete-account?token="
        try #require(link.hasPrefix(start))
        return IdentityFixture.caller(link: String(link.dropFirst(start.count)))
    }

    private func kinds(_ caller: DeletionCall.Token) async throws -> [String] {
        try await fixture.preview(caller).consequences.map(\.kind)
    }

    private func protect() async throws { _ = try await fixture.plantFactor(in: ada.text) }

    @Test("by a mailed link it waits, though that was not asked for, and the page says so")
    func waits() async throws {
        try await protect()
        let caller = try await link()
        let preview = try await fixture.preview(caller)
        #expect(
            preview.consequences.map(\.kind)
                == ["account", "sessions", "second-factor", "final"])
        #expect(
            preview.consequences.first { $0.kind == "second-factor" }?.sentence
                == DeletionConsequence.secondFactor.sentence(count: 7, in: .english))
        let due = fixture.time.now() + Self.wait
        let deletion = try await fixture.requestDeletion(caller, wait: false)
        #expect(deletion.state == .waiting && deletion.dueAtMs == due.milliseconds)
        fixture.time.advance(by: Self.wait - .milliseconds(1))
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.exists(ada))
        #expect(try await fixture.count("second_factors") == 1)
        fixture.time.advance(by: .milliseconds(1))
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.count("recovery_codes") == 0)
    }

    @Test("the owner is mailed, and stops it in a session; the link begins no other then")
    func stopped() async throws {
        try await protect()
        let caller = try await link()
        #expect(try await fixture.requestDeletion(caller).state == .waiting)
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.delivered("deletion-scheduled") != nil)
        #expect(try await fixture.cancelDeletion(IdentityFixture.caller(token)))
        #expect(try await refusal { try await kinds(caller) }.code == .invalidLink)
        fixture.time.advance(by: Self.wait)
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.exists(ada))
    }

    /// Attack: the reader of the mail asks again and again, or asks for what waits to be done at once.
    @Test("further links and requests make nothing of it final, and move no end")
    func again() async throws {
        try await protect()
        let first = try await fixture.requestDeletion(try await link(), wait: true)
        fixture.time.advance(by: .seconds(3_600))
        for _ in 0..<3 {
            let caller = try await link()
            #expect(try await fixture.requestDeletion(caller, wait: false) == first)
        }
    }

    @Test("a factor of after the page was shown, and before it was confirmed, makes it wait too")
    func later() async throws {
        let caller = try await link()
        #expect(try await kinds(caller) == ["account", "sessions", "wait", "final"])
        let confirmation = try await fixture.confirm(caller)
        try await protect()
        let deletion = try await fixture.requestDeletion(confirmation, by: caller)
        #expect(deletion?.state == .waiting)
    }

    @Test("without a factor, and once the last one is removed, the link is enough")
    func unprotected() async throws {
        try await protect()
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        let factor = try #require(try await fixture.listFactors(token).factors.first)
        _ = try await fixture.removeFactor(factor.factorId, in: token)
        let caller = try await link()
        #expect(try await kinds(caller) == ["account", "sessions", "wait", "final"])
        #expect(try await fixture.requestDeletion(caller).state == .deleting)
    }

    @Test("G-13: in a session it is at once, with a second proof of the last five minutes")
    func session() async throws {
        try await protect()
        let caller = IdentityFixture.caller(token)
        #expect(try await kinds(caller) == ["account", "sessions", "wait", "final"])
        for wait in [true, false] {
            let error = try await refusal {
                try await fixture.requestDeletion(caller, wait: wait)
            }
            #expect(error.code == .requiresRecentLogin)
            #expect(error.acceptableProofs == ["recovery_code", "totp_code"])
        }
        fixture.devices.proveAgain(token, amr: Authentication.totp.amr)
        #expect(try await fixture.requestDeletion(caller).state == .deleting)
    }
}
