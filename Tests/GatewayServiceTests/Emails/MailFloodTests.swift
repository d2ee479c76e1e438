import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import NotificationService

@Suite("R-03, N-06: sign-up and deletion in turns", .timeLimit(.minutes(5)))
struct MailFloodTests {
    private static let victim = "ada@example.org"

    /// A stranger signs the victim's address up, causes what mails its account can cause, and
    /// deletes the account, so that the address is free.
    /// - Parameter beforeItsEnd: is called while the account exists.
    private func round(
        _ number: Int, _ fixture: GatewayFixture, beforeItsEnd: () async throws -> Void = {}
    ) async throws {
        let address = "198.51.\(number / 250).\(number % 250)"
        let context = fixture.context(address: address)
        let session = try await fixture.signUp(Self.victim, in: context).session
        let own = context.bearing(session.accessToken)
        let device = GatewayFixture.device("d1")
        do {
            _ = try await fixture.emails.resendVerificationEmail(.init(device: device), own)
        } catch let error as ServiceError {
            #expect(error.code == .tooManyRequests && error.retryAfter != nil)
        }
        try await beforeItsEnd()
        do {
            _ = try await fixture.passwords.changePassword(
                .init(
                    currentPassword: .init(text: "Correct7Horse"),
                    newPassword: .init(text: "Another7Horse"), device: device), own)
        } catch let error as ServiceError {
            // Under strict enumeration the account is a guest.
            #expect(error.code == .invalidCredential)
        }
        try await delete(own, fixture)
    }

    /// Deletes the caller's account when its mails are delivered: the deletion would end them.
    private func delete(_ own: CallContext, _ fixture: GatewayFixture) async throws {
        try await fixture.inner.settle()
        let preview = try await fixture.accountDeletion.previewDeletion(.init(), own)
        _ = try await fixture.accountDeletion.requestDeletion(
            .init(confirmationToken: preview.confirmationToken), own)
        try await fixture.inner.finishDeletions()
    }

    private func mails(_ fixture: GatewayFixture) async throws -> Int {
        try await fixture.inner.mails(to: Self.victim).count {
            !$0.text.contains("/reset-password?")
        }
    }

    @Test(
        "100 rounds against one address send it five mails an hour, and delay no reset link",
        arguments: [.friendly, .strict] as [IdentitySettings.EnumerationMode])
    func flood(mode: IdentitySettings.EnumerationMode) async throws {
        let fixture = try await GatewayFixture(enumeration: mode)
        for number in 0..<100 {
            try await round(number, fixture) {
                // Under strict enumeration no account owns the address.
                guard mode == .friendly, number % 40 == 0 else { return }
                try await requestReset(fixture)
            }
        }
        #expect(try await mails(fixture) == 5)
        #expect(try await resets(fixture) == (mode == .friendly ? 3 : 0))
        fixture.time.advance(by: .seconds(3_600))
        for number in 100..<106 { try await round(number, fixture) }
        #expect(try await mails(fixture) == 10)
    }

    /// The owner of the mailbox requests a link, which comes within five seconds.
    private func requestReset(_ fixture: GatewayFixture) async throws {
        let (before, former) = (fixture.time.now(), try await resets(fixture))
        _ = try await fixture.passwords.requestPasswordReset(
            .init(email: Self.victim), fixture.context())
        #expect(try await resets(fixture) == former + 1)
        #expect(fixture.time.now() - before <= .seconds(5))
    }

    private func resets(_ fixture: GatewayFixture) async throws -> Int {
        try await fixture.inner.mails(to: Self.victim).count {
            $0.text.contains("/reset-password?")
        }
    }

    @Test("after strangers' sign-ups the owner's own gets its mail on request, in its session")
    func owner() async throws {
        let fixture = try await GatewayFixture()
        for number in 0..<6 {
            let context = fixture.context(address: "198.51.100.\(number)")
            let own = context.bearing(
                try await fixture.signUp(Self.victim, in: context).session.accessToken)
            try await delete(own, fixture)
        }
        let former = try await mails(fixture)
        #expect(former == 3)
        let owner = try await fixture.signUp(Self.victim)
        #expect(try await mails(fixture) == former, "the mail of the sign-up is withheld")
        let answer = try await fixture.emails.resendVerificationEmail(
            .init(device: GatewayFixture.device("d1")),
            fixture.context().bearing(owner.session.accessToken))
        #expect(answer.sent)
        let account = try await fixture.verify(
            try await fixture.inner.linkToken(to: Self.victim),
            accessToken: owner.session.accessToken)
        #expect(account.emailVerified)
    }

    @Test("an ordinary user gets each mail: a sign-up, three more links, a changed password")
    func ordinary() async throws {
        let fixture = try await GatewayFixture()
        let session = try await fixture.signUp().session
        let own = fixture.context().bearing(session.accessToken)
        for _ in 0..<3 {
            let answer = try await fixture.emails.resendVerificationEmail(
                .init(device: GatewayFixture.device("d1")), own)
            #expect(answer.sent)
        }
        _ = try await fixture.passwords.changePassword(
            .init(
                currentPassword: .init(text: "Correct7Horse"),
                newPassword: .init(text: "Another7Horse"), device: GatewayFixture.device("d1")),
            own)
        #expect(try await mails(fixture) == 5)
    }
}
