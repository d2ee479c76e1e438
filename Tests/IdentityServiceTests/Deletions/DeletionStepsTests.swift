import Contracts
import FoundationEssentials
import Glibc
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-20: what each step of a deletion does", .timeLimit(.minutes(1)))
struct DeletionStepsTests {
    /// Sealed columns, whose bytes must be in no file after a deletion.
    private static let sealed = [
        ("account_keys", "sealed_key"), ("profiles", "display_name"),
        ("email_addresses", "address"), ("passwords", "hash"), ("identities", "details"),
        ("documents", "payload"), ("deletions", "sealed_key"),
    ]

    /// Takes the steps up to one, which is next then.
    private func advance(
        _ fixture: IdentityFixture, _ account: AccountID, to step: DeletionStep
    ) async throws {
        while let deletion = try await fixture.deletion(of: account), let current = deletion.step,
            current != step
        {
            try await fixture.service.life.deletionWork.steps.perform(current, of: deletion)
        }
    }

    @Test("from the release on the same email, number and identity sign up as another account")
    func signUpAgain() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        let google = GatewayV1.ProviderToken.token("g1", email: "other@example.org")
        _ = try await fixture.link(google, in: token)
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        try await advance(fixture, ada, to: .release)
        #expect(try await fixture.exists(ada))
        let taken = try await refusal { try await fixture.register("ada@example.org") }
        #expect(taken.code == .emailAlreadyInUse)
        try await advance(fixture, ada, to: .sessions)
        let email = try #require(try await fixture.register("ada@example.org").account)
        let provider = try await fixture.account(by: google)
        #expect(Set([email.accountId, provider.accountId, ada.text]).count == 3)
        await fixture.performDeletion(of: ada)
        _ = try await fixture.signIn()
        #expect(try await fixture.account(by: google).accountId == provider.accountId)
        let forgotten = try #require(fixture.rateLimitData.forgotten.last)
        #expect(forgotten.accountId == ada.text && forgotten.emails == [], "the next owner's")
    }

    @Test("links that were mailed before are void, and the password is gone")
    func voidLinks() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        try await advance(fixture, ada, to: .sessions)
        for table in ["links", "passwords", "email_addresses", "identities"] {
            #expect(try await fixture.count(table) == 0, "\(table)")
        }
    }

    @Test("the other services are told: sessions with the reason, push devices, and what to forget")
    func peers() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        await fixture.performDeletion(of: ada)
        let end = try #require(fixture.sessions.ended.last)
        #expect(end.accountId == ada.text && end.reason == .accountDeleted)
        #expect(end.sessionGeneration > 1 && end.exceptSessionId.isEmpty)
        #expect(fixture.pushDevices.revoked == [ada.text])
        for peer in [fixture.sessionData, fixture.notificationData, fixture.rateLimitData] {
            let subject = try #require(peer.forgotten.last)
            #expect(subject.accountId == ada.text && subject.emails == ["ada@example.org"])
        }
    }

    @Test("an address that was not verified keeps its suppression: it may be another person's")
    func unprovedAddress() async throws {
        let fixture = try IdentityFixture()
        let eve = try #require(try await fixture.register("eve@example.org").account)
        let token = fixture.devices.open(eve.accountId)
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        await fixture.performDeletion(of: try #require(AccountID(text: eve.accountId)))
        #expect(try #require(fixture.notificationData.forgotten.last).emails.isEmpty)
        #expect(try #require(fixture.rateLimitData.forgotten.last).emails == ["eve@example.org"])
    }

    @Test("nothing of the account is in the store's file or its log afterwards")
    func erased() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        _ = try await fixture.link(.token("g1", email: "other@example.org"), in: token)
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        let canaries = try await fixture.store.read { session in
            try Self.sealed.flatMap { table, column in
                try session.query(
                    "SELECT \(column) FROM \(table) WHERE account = \(ada.key)"
                ) { try $0.blob(0) }
            }
        }
        #expect(canaries.count >= 6)
        await fixture.performDeletion(of: ada)
        try await fixture.service.life.deletionWork.log.truncate()
        let stored = try fixture.store.storedBytes()
        for canary in canaries { #expect(!Self.contains(stored, canary)) }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            part.withUnsafeBytes { part in
                guard let first = part.baseAddress, bytes.count >= part.count else { return false }
                return (0...(bytes.count - part.count)).contains { start in
                    guard let here = bytes.baseAddress else { return false }
                    return memcmp(here + start, first, part.count) == 0
                }
            }
        }
    }

    @Test("what stays of a person while a provider cannot be reached is the sealed grant only")
    func sealedRow() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        try await advance(fixture, ada, to: .otherServices)
        func payload() async throws -> DeletionPayload {
            let deletion = try #require(try await fixture.deletion(of: ada))
            return try DeletionVault(of: deletion, fixture.deletions.deletions)
                .open(deletion.payload)
        }
        let before = try await payload()
        #expect(before.email == "ada@example.org" && before.isEmailProved)
        try await advance(fixture, ada, to: .grants)
        #expect(try await payload() == DeletionPayload())
    }

    @Test("the last mail names no account, is sealed in the outbox, and is dropped after a day")
    func lastMail() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.relay()
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        await fixture.performDeletion(of: ada)
        #expect(try await fixture.waiting() == 1)
        fixture.time.advance(by: DeletionMail.lastMailLife)
        try await fixture.relay()
        #expect(!fixture.templates.contains("deletion-done"))
    }

    @Test("mails that waited for the account are not sent once its deletion has begun")
    func waitingMails() async throws {
        let fixture = try IdentityFixture()
        let (ada, token) = try await fixture.person()
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        await fixture.performDeletion(of: ada)
        let before = fixture.templates
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        await fixture.performDeletion(of: ada)
        try await fixture.relay()
        #expect(Array(fixture.templates.dropFirst(before.count)) == ["deletion-done"])
    }

    @Test("a deletion whose account's rows do not decrypt goes on")
    func unreadable() async throws {
        let fixture = try IdentityFixture()
        let (ada, _) = try await fixture.person()
        try await fixture.change("UPDATE account_keys SET sealed_key = x'00'")
        let (deletions, account) = (fixture.deletions.deletions, ada)
        _ = try await fixture.store.write(about: [.account(ada)]) { transaction in
            try transaction.beginDeletion(
                of: account, source: .operator, due: transaction.at, deletions)
        }
        await fixture.performDeletion(of: ada)
        #expect(try await !fixture.exists(ada))
        #expect(try await fixture.deletion(of: ada) == nil)
    }
}
