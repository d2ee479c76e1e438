import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-19: the deletion of the caller's account", .timeLimit(.minutes(1)))
struct AccountDeletionTests {
    private static let limit = "deletion-by-account"

    /// Shows the consequences, and returns the token that confirms them.
    private func confirm(
        _ fixture: GatewayFixture, link: String = "", in context: CallContext
    ) async throws -> String {
        try await fixture.accountDeletion.previewDeletion(
            .init(linkToken: .init(text: link)), context
        ).confirmationToken
    }

    /// The token of a link to the deletion page that was mailed.
    private func link(_ fixture: GatewayFixture) async throws -> String {
        _ = try await fixture.accountDeletion.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        return try await fixture.inner.linkToken(page: "delete-account")
    }

    @Test("the consequences are sentences in the person's language")
    func consequences() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context(language: "de").bearing(ada.session.accessToken)
        _ = try await fixture.write("{}", in: context)
        let answer = try await fixture.accountDeletion.previewDeletion(.init(), context)
        #expect(
            answer.consequences.map(\.kind) == [
                "account", "documents", "sessions", "wait", "final",
            ])
        let german = Voice(.german)
        #expect(
            answer.consequences.map(\.sentence) == [
                DeletionConsequence.account.sentence(count: 0, in: german),
                "Alles, was du gespeichert hast, wird gelöscht: 1 Eintrag.",
                DeletionConsequence.sessions.sentence(count: 0, in: german),
                DeletionConsequence.wait.sentence(count: 7, in: german),
                DeletionConsequence.final.sentence(count: 0, in: german),
            ])
        #expect(!answer.confirmationToken.isEmpty)
        #expect(answer.waitSeconds == 7 * 24 * 3_600 && answer.deletion == nil)
    }

    @Test("a link stands for a session, and without both there is no caller")
    func callers() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        let service = fixture.accountDeletion
        let other = try await refusal { try await confirm(fixture, link: "l", in: session) }
        #expect(other.code == .invalidLink, "the session is not used")
        let link = try await link(fixture)
        let confirmation = try await confirm(fixture, link: link, in: fixture.context())
        let request = GatewayV1.RequestDeletionRequest(
            linkToken: .init(text: link), confirmationToken: confirmation, wait: true)
        let waiting = try await service.requestDeletion(request, fixture.context())
        #expect(waiting.deletion?.state == .waiting)
        #expect(try await service.getDeletion(.init(), session).deletion == waiting.deletion)
        // The link was charged when it was requested.
        #expect(try fixture.inner.left(Self.limit, ada.account.accountId) == 3)
        let unknown = try await refusal {
            try await service.cancelDeletion(.init(linkToken: .init(text: "k")), session)
        }
        #expect(unknown.code == .invalidLink)
        #expect(try await service.cancelDeletion(.init(), session).cancelled)
        for call in [
            { _ = try await service.previewDeletion(.init(), fixture.context()) },
            { _ = try await service.requestDeletion(.init(), fixture.context()) },
            { _ = try await service.cancelDeletion(.init(), fixture.context()) },
            { _ = try await service.getDeletion(.init(), fixture.context()) },
        ] as [() async throws -> Void] {
            #expect(try await refusal { try await call() }.code == .invalidAccessToken)
        }
    }

    @Test(
        "a repeat gets its response after the deletion has ended its session, another call does not"
    )
    func repeated() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        let confirmation = try await confirm(fixture, in: context)
        func request(
            _ confirmation: String, link: String = ""
        ) async throws -> GatewayV1.DeletionState? {
            try await fixture.accountDeletion.requestDeletion(
                .init(linkToken: .init(text: link), confirmationToken: confirmation), context
            ).deletion?.state
        }
        #expect(try await request(confirmation) == .deleting)
        try await fixture.inner.finishDeletions()
        #expect(try await request(confirmation) == .deleting)
        #expect(try await refusal { try await request("c") }.code == .sessionEnded)
        let byLink = try await refusal { try await request(confirmation, link: "l") }
        #expect(byLink.code == .sessionEnded)
    }

    @Test("G-32: a link that the app makes is charged as a write, and deletes once, in no session")
    func appLink() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let (service, session) = (
            fixture.accountDeletion, fixture.context().bearing(ada.session.accessToken)
        )
        let writes = "document-write-by-account"
        let before = try fixture.inner.left(writes, ada.account.accountId)
        let answer = try await service.createDeletionLink(.init(), session)
        #expect(try fixture.inner.left(writes, ada.account.accountId) == before - 1)
        let link = String(answer.url.split(separator: "=").last ?? "")
        let confirmation = try await confirm(fixture, link: link, in: fixture.context())
        let request = GatewayV1.RequestDeletionRequest(
            linkToken: .init(text: link), confirmationToken: confirmation, wait: true)
        let waiting = try await service.requestDeletion(request, fixture.context())
        #expect(waiting.deletion?.state == .waiting)
        #expect(try await service.requestDeletion(request, fixture.context()) == waiting)
        let used = try await refusal {
            try await confirm(fixture, link: link, in: fixture.context())
        }
        #expect(used.code == .invalidLink)
        let outside = try await refusal {
            try await service.createDeletionLink(.init(), fixture.context())
        }
        #expect(outside.code == .invalidAccessToken)
    }

    @Test("G-32: a link of a session that was signed out deletes nothing")
    func signedOut() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        let answer = try await fixture.accountDeletion.createDeletionLink(.init(), session)
        let link = String(answer.url.split(separator: "=").last ?? "")
        let confirmation = try await confirm(fixture, link: link, in: fixture.context())
        _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
        let refused = try await refusal {
            try await fixture.accountDeletion.requestDeletion(
                .init(linkToken: .init(text: link), confirmationToken: confirmation),
                fixture.context())
        }
        #expect(refused.code == .invalidLink)
        let unusable = try await fixture.auth.describeLink(
            .init(purpose: .deleteAccount, token: .init(text: link)), fixture.context())
        #expect(!unusable.usable)
    }

    @Test("a cancellation passes the caller's idempotency key on, so a repeat gets its response")
    func cancelledOnce() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        func context(_ key: String? = nil) -> CallContext {
            fixture.context(key).bearing(ada.session.accessToken)
        }
        let confirmation = try await confirm(fixture, in: context())
        _ = try await fixture.accountDeletion.requestDeletion(
            .init(confirmationToken: confirmation, wait: true), context())
        for (key, isCancelled) in [("k1", true), ("k1", true), ("k2", false)] {
            let answer = try await fixture.accountDeletion.cancelDeletion(.init(), context(key))
            #expect(answer.cancelled == isCancelled)
        }
    }

    @Test("the fourth link to one address in an hour is refused, whether or not it has an account")
    func links() async throws {
        let fixture = try await GatewayFixture()
        let context = fixture.context(language: "fr")
        func requested() async throws -> Int64 {
            try await fixture.inner.count(
                fixture.inner.identityStore, "outbox", where: "topic = 'deletion-link'")
        }
        var waits: [UInt32] = []
        for spelling in ["ada@example.org", "Ada@example.org", "ADA@EXAMPLE.ORG"] {
            waits.append(
                try await fixture.accountDeletion.requestDeletionLink(
                    .init(email: spelling), context
                ).nextAfterSeconds)
        }
        #expect(waits == [0, 0, 3_600])
        #expect(try await requested() == 3)
        let error = try await refusal {
            try await fixture.accountDeletion.requestDeletionLink(
                .init(email: "ada@example.org"), context)
        }
        #expect(error.code == .tooManyRequests)
        let invalid = try await refusal {
            try await fixture.accountDeletion.requestDeletionLink(.init(email: "ada"), context)
        }
        #expect(invalid.code == .invalidEmail)
        #expect(try await requested() == 3)
    }

    @Test("the account's other mails do not delay its deletion")
    func afterMails() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        for _ in 0..<3 {
            _ = try await fixture.emails.resendVerificationEmail(.init(), session)
        }
        let answer = try await fixture.accountDeletion.requestDeletion(
            .init(confirmationToken: try await confirm(fixture, in: session)), session)
        #expect(answer.deletion?.state == .deleting)
    }

    @Test("requests in a session are counted by themselves, repeats and refused ones are not")
    func counted() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let context = fixture.context().bearing(ada.session.accessToken)
        func left() throws -> UInt32 { try fixture.inner.left(Self.limit, ada.account.accountId) }
        func request(_ confirmation: String) async throws {
            _ = try await fixture.accountDeletion.requestDeletion(
                .init(confirmationToken: confirmation, wait: true), context)
        }
        let refused = try await refusal { try await request("c") }
        #expect(refused.code == .invalidConfirmation)
        #expect(try left() == 3)
        let confirmation = try await confirm(fixture, in: context)
        for _ in 0..<2 {
            try await request(confirmation)
            #expect(try left() == 2)
        }
    }
}
