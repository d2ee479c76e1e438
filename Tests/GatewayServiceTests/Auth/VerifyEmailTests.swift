import Messages
import ServiceRuntime
import TestSupport
import Testing

@Suite("G-12: a user verifies an email through the gateway", .timeLimit(.minutes(1)))
struct VerifyEmailTests {
    let fixture: GatewayFixture
    let ada: SignedIn
    let token: String

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
        token = try await fixture.inner.linkToken()
    }

    private func isVerified() async throws -> Bool {
        try await fixture.signIn().account.emailVerified
    }

    @Test("G-12: in the session that registered, the link alone confirms, and only once")
    func inSession() async throws {
        let account = try await fixture.verify(token, accessToken: ada.session.accessToken)
        #expect(account.emailVerified)
        #expect(account.accountId == ada.account.accountId)
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
        let again = try await refusal {
            try await fixture.verify(token, accessToken: ada.session.accessToken)
        }
        #expect(again.code == .invalidLink)
    }

    @Test("G-12: outside that session a password is required, and the link remains valid")
    func elsewhere() async throws {
        let error = try await refusal { try await fixture.verify(token) }
        #expect(error == ServiceError(.passwordNeeded, fields: ["password"]))
        #expect(try await !isVerified())
        #expect(try await fixture.verify(token, password: "Correct7Horse").emailVerified)
        try await fixture.inner.settle()
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
    }

    @Test("one address tries 60 passwords a minute with a link; the account's session needs none")
    func work() async throws {
        // The sign-up was the first of sixty.
        for _ in 0..<59 {
            let weak = try await refusal { try await fixture.verify(token, password: "short") }
            #expect(weak.code == .weakPassword)
        }
        let error = try await refusal { try await fixture.verify(token, password: "short") }
        #expect(error.code == .tooManyRequests)
        #expect(
            try await fixture.verify(token, accessToken: ada.session.accessToken).emailVerified)
    }

    @Test("G-12: another account's session or an expired token does not replace the password")
    func strangers() async throws {
        let eve = try await fixture.signUp("eve@example.org")
        fixture.time.advance(by: .seconds(15 * 60))
        let fresh = try await fixture.refresh(eve.session.refreshToken)
        for (accessToken, code) in [
            (fresh.accessToken, ErrorCode.passwordNeeded),
            (ada.session.accessToken, .invalidAccessToken), ("garbage", .sessionEnded),
        ] {
            let error = try await refusal {
                try await fixture.verify(token, accessToken: accessToken)
            }
            #expect(error.code == code)
        }
        #expect(try await !isVerified())
    }

    @Test("G-12: a new password replaces an attacker's and ends the attacker's sessions (X-04)")
    func newPassword() async throws {
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.verify(token, password: "Brand9NewWord").emailVerified)
        try await fixture.inner.settle()
        #expect(try await fixture.check(ada.session.accessToken).reason == .security)
        let refresh = try await refusal { try await fixture.refresh(ada.session.refreshToken) }
        #expect(refresh.code == .sessionEnded)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        fixture.time.advance(by: .seconds(1))
        let owner = try await fixture.signIn(password: "Brand9NewWord")
        #expect(owner.account.accountId == ada.account.accountId)
        #expect(try await fixture.check(owner.session.accessToken).authenticated)
    }

    @Test("G-12: a new password that the policy rejects changes nothing; the link remains valid")
    func weak() async throws {
        let error = try await refusal { try await fixture.verify(token, password: "short") }
        #expect(error.code == .weakPassword)
        #expect(try await fixture.verify(token, accessToken: ada.session.accessToken).emailVerified)
    }

    @Test("G-12: an invalid or expired link is rejected")
    func invalid() async throws {
        for text in ["", "x", token + "A", String(repeating: "A", count: 43)] {
            let error = try await refusal {
                try await fixture.verify(text, accessToken: ada.session.accessToken)
            }
            #expect(error.code == .invalidLink)
        }
        fixture.time.advance(by: .seconds(24 * 3_600))
        let session = try await fixture.refresh(ada.session.refreshToken)
        let error = try await refusal {
            try await fixture.verify(token, accessToken: session.accessToken)
        }
        #expect(error.code == .invalidLink)
    }
}
