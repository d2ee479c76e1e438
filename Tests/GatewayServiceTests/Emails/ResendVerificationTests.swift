import Contracts
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-12: a user requests another verification mail", .timeLimit(.minutes(1)))
struct ResendVerificationTests {
    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    private func resend(_ token: String? = nil, key: String? = nil) async throws -> Bool {
        try await answer(token, key: key).sent
    }

    private func answer(
        _ token: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.ResendVerificationEmailResponse {
        try await fixture.emails.resendVerificationEmail(
            .init(
                device: .init(deviceId: "d1", platform: "cli")),
            fixture.context(key).bearing(token ?? ada.session.accessToken))
    }

    @Test("G-28: the answer says how many mails are left, and then when the next can be requested")
    func countsDown() async throws {
        #expect(try await answer() == .init(sent: true, remaining: 2))
        #expect(try await answer(key: "k") == .init(sent: true, remaining: 1))
        #expect(try await answer(key: "k") == .init(sent: true, remaining: 1), "a repeat")
        fixture.time.advance(by: .seconds(300))
        #expect(try await answer() == .init(sent: true, nextAfterMs: 3_300_000))
        // The access token has expired by then.
        fixture.time.advance(by: .seconds(3_300))
        let later = try await fixture.refresh(ada.session.refreshToken)
        #expect(try await answer(later.accessToken) == .init(sent: true, remaining: 1))
    }

    @Test("G-28: with the password the mails are counted by the email")
    func countsDownByPassword() async throws {
        for remaining: UInt32 in [2, 1] {
            let answer = try await fixture.emails.resendVerificationByPassword(
                .init(
                    email: "ada@example.org", password: .init(text: "Correct7Horse"),
                    device: .init(deviceId: "d1", platform: "cli")), fixture.context())
            #expect(answer == .init(sent: true, remaining: remaining))
        }
    }

    @Test("G-28: a verified address uses nothing up, and the answer says so")
    func verifiedRemaining() async throws {
        let token = try await fixture.inner.linkToken()
        _ = try await fixture.verify(token, accessToken: ada.session.accessToken)
        #expect(try await answer() == .init(sent: false, remaining: 3))
    }

    @Test("G-28: without the rate limiter the mail is sent, and both numbers are 0")
    func withoutLimiter() async throws {
        let fixture = try await GatewayFixture(limits: FailingLimits())
        let answer = try await fixture.passwords.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        #expect(answer == .init())
    }

    @Test("G-12: the new link confirms and the old one is invalid; three mails an hour")
    func resends() async throws {
        let former = try await fixture.inner.linkToken()
        for _ in 0..<3 {
            #expect(try await resend())
            // Delivered before the next one, so that the newest mail is the last.
            _ = try await fixture.inner.mails()
        }
        #expect(try await refusal { try await resend() }.code == .tooManyRequests)
        let token = try await fixture.inner.linkToken()
        let access = ada.session.accessToken
        let void = try await refusal { try await fixture.verify(former, accessToken: access) }
        #expect(void.code == .invalidLink)
        #expect(try await fixture.verify(token, accessToken: access).emailVerified)
    }

    @Test("G-12: a verified address gets no mail, and nothing is charged")
    func verified() async throws {
        let token = try await fixture.inner.linkToken()
        _ = try await fixture.verify(token, accessToken: ada.session.accessToken)
        for _ in 0..<5 { #expect(try await !resend()) }
        let mails = try await fixture.inner.mails()
        #expect(mails.count == 2 && mails.contains { $0.subject.contains("Welcome") })
    }

    @Test("G-25: a repeated call sends one mail and is charged once")
    func repeated() async throws {
        for _ in 0..<5 { #expect(try await resend(key: "k")) }
        #expect(try await fixture.inner.mails().count == 2)
        let limit = "verification-mail-by-account"
        #expect(try fixture.inner.left(limit, ada.account.accountId) == 2)
    }

    @Test("G-12: only a signed-in user can request the mail")
    func stranger() async throws {
        for token in ["x", ada.session.refreshToken] {
            #expect(try await refusal { try await resend(token) }.code == .invalidAccessToken)
        }
    }
}
