import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-19: the deletion of the caller's account", .timeLimit(.minutes(1)))
struct AccountDeletionTests {
    private static let preview = IdentityV1.PreviewDeletionResponse(
        consequences: [
            .init(kind: "account"), .init(kind: "documents", count: 1),
            .init(kind: "wait", count: 7), .init(kind: "export", count: 7),
            .init(kind: "something-newer"), .init(kind: "final"),
        ], confirmationToken: "confirm", expiresAtMs: 5, waitSeconds: 7 * 24 * 3_600)

    @Test("the consequences are sentences in the person's language, without kinds that are unknown")
    func consequences() async throws {
        let fixture = try await GatewayFixture(deletions: ScriptedDeletions(preview: Self.preview))
        let answer = try await fixture.accountDeletion.previewDeletion(
            .init(linkToken: .init(text: "link")), fixture.context(language: "de"))
        #expect(
            answer.consequences.map(\.kind) == [
                "account", "documents", "wait", "export", "final",
            ])
        let german = Voice(.german)
        #expect(
            answer.consequences.map(\.sentence) == [
                DeletionConsequence.account.sentence(count: 0, in: german),
                "Alles, was du gespeichert hast, wird gelöscht: 1 Eintrag.",
                DeletionConsequence.wait.sentence(count: 7, in: german),
                DeletionConsequence.export.sentence(count: 7, in: german),
                DeletionConsequence.final.sentence(count: 0, in: german),
            ])
        #expect(answer.confirmationToken == "confirm" && answer.expiresAtMs == 5)
        #expect(answer.waitSeconds == 7 * 24 * 3_600 && answer.deletion == nil)
    }

    @Test("a link stands for a session, and without both there is no caller")
    func callers() async throws {
        let deletions = ScriptedDeletions()
        let fixture = try await GatewayFixture(deletions: deletions)
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        let service = fixture.accountDeletion
        _ = try await service.previewDeletion(.init(), session)
        _ = try await service.previewDeletion(.init(linkToken: .init(text: "l")), session)
        let waiting = try await service.requestDeletion(
            .init(linkToken: .init(text: "l"), confirmationToken: "c", wait: true),
            fixture.context())
        #expect(waiting.deletion == .init(state: .waiting, requestedAtMs: 1, dueAtMs: 2))
        let now = try await service.requestDeletion(.init(confirmationToken: "c"), session)
        #expect(now.deletion?.state == .deleting)
        #expect(
            try await service.cancelDeletion(
                .init(linkToken: .init(text: "k")), fixture.context()
            ).cancelled)
        #expect(try await service.getDeletion(.init(), session).deletion?.state == .waiting)
        #expect(
            deletions.calls == [
                "preview by session", "preview by link l", "request c by link l",
                "request c by session", "cancel by link k", "get by none",
            ])
        for call in [
            { _ = try await service.previewDeletion(.init(), fixture.context()) },
            { _ = try await service.requestDeletion(.init(), fixture.context()) },
            { _ = try await service.cancelDeletion(.init(), fixture.context()) },
            { _ = try await service.getDeletion(.init(), fixture.context()) },
        ] as [() async throws -> Void] {
            #expect(try await refusal { try await call() }.code == .invalidAccessToken)
        }
        #expect(deletions.calls.count == 6, "identity was not asked")
    }

    @Test(
        "a repeat gets its response after the deletion has ended its session, another call does not"
    )
    func repeated() async throws {
        let refusing = ScriptedDeletions(refusal: ServiceError(.invalidConfirmation))
        for (deletions, expected) in [(ScriptedDeletions(), nil), (refusing, .sessionEnded)]
            as [(ScriptedDeletions, ErrorCode?)]
        {
            let fixture = try await GatewayFixture(deletions: deletions)
            let ada = try await fixture.signUp()
            _ = try await fixture.signOut(.accessToken(ada.session.accessToken))
            let context = fixture.context().bearing(ada.session.accessToken)
            do {
                let answer = try await fixture.accountDeletion.requestDeletion(
                    .init(confirmationToken: "c"), context)
                #expect(expected == nil && answer.deletion?.state == .deleting)
            } catch let error as ServiceError {
                #expect(error.code == expected)
            }
            #expect(deletions.calls == ["request c by session"])
        }
    }

    @Test("a cancellation passes the caller's idempotency key on, so a repeat gets its response")
    func cancelledOnce() async throws {
        let deletions = ScriptedDeletions()
        let fixture = try await GatewayFixture(deletions: deletions)
        var context = fixture.context()
        context.metadata[Metadata.Key.idempotencyKey] = "k1"
        _ = try await fixture.accountDeletion.cancelDeletion(
            .init(linkToken: .init(text: "l")), context)
        #expect(deletions.calls == ["cancel once by link l"])
    }

    @Test("the fourth link to one address in an hour is refused, whether or not it has an account")
    func links() async throws {
        let deletions = ScriptedDeletions()
        let fixture = try await GatewayFixture(deletions: deletions)
        let context = fixture.context(language: "fr")
        var waits: [UInt32] = []
        for spelling in ["ada@example.org", "Ada@example.org", "ADA@EXAMPLE.ORG"] {
            waits.append(
                try await fixture.accountDeletion.requestDeletionLink(
                    .init(email: spelling), context
                ).nextAfterSeconds)
        }
        #expect(waits == [0, 0, 3_600])
        #expect(deletions.calls.first == "mail ada@example.org by none")
        let error = try await refusal {
            try await fixture.accountDeletion.requestDeletionLink(
                .init(email: "ada@example.org"), context)
        }
        #expect(error.code == .tooManyRequests)
        let invalid = try await refusal {
            try await fixture.accountDeletion.requestDeletionLink(.init(email: "ada"), context)
        }
        #expect(invalid.code == .invalidEmail)
        #expect(deletions.calls.count == 3)
    }

    @Test("the account's other mails do not delay its deletion")
    func afterMails() async throws {
        let fixture = try await GatewayFixture(deletions: ScriptedDeletions())
        let ada = try await fixture.signUp()
        let session = fixture.context().bearing(ada.session.accessToken)
        for _ in 0..<3 {
            _ = try await fixture.emails.resendVerificationEmail(.init(), session)
        }
        let answer = try await fixture.accountDeletion.requestDeletion(
            .init(confirmationToken: "c"), session)
        #expect(answer.deletion?.state == .deleting)
    }

    @Test("requests in a session are counted by themselves, refused ones are not")
    func counted() async throws {
        let limit = "deletion-by-account"
        let refused = ScriptedDeletions(refusal: ServiceError(.invalidConfirmation))
        for (deletions, left) in [(ScriptedDeletions(), 2), (refused, 3)] {
            let fixture = try await GatewayFixture(deletions: deletions)
            let ada = try await fixture.signUp()
            do {
                _ = try await fixture.accountDeletion.requestDeletion(
                    .init(confirmationToken: "c", wait: true),
                    fixture.context().bearing(ada.session.accessToken))
            } catch let error as ServiceError {
                #expect(error.code == .invalidConfirmation)
            }
            #expect(try fixture.inner.left(limit, ada.account.accountId) == left)
        }
    }
}
