import Contracts
import Cryptography
import Messages
import NotificationService
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService

@Suite("G-11: a user resets a forgotten password through the gateway", .timeLimit(.minutes(1)))
struct ResetPasswordTests {
    private static let new = "Owners9Password"

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture()
        ada = try await fixture.signUp()
    }

    private func requestReset(
        _ email: String = "ada@example.org", in context: CallContext? = nil
    ) async throws -> GatewayV1.RequestPasswordResetResponse {
        try await fixture.passwords.requestPasswordReset(
            .init(email: email, device: .init(deviceId: "d1", platform: "cli")),
            context ?? fixture.context(language: "de"))
    }

    private func token() async throws -> String {
        _ = try await requestReset()
        return try await fixture.inner.linkToken(page: "reset-password")
    }

    private func reset(
        _ token: String, _ password: String = new, in context: CallContext? = nil
    ) async throws -> SignedIn {
        let answer = try await fixture.passwords.resetPassword(
            .init(
                token: token, password: .init(text: password),
                device: .init(deviceId: "d2", platform: "cli", name: "Ada's phone")),
            context ?? fixture.context())
        return SignedIn(
            account: try #require(answer.account), session: try #require(answer.session))
    }

    @Test("G-01: the reset says what is still to do, as a sign-in does")
    func requiredActions() async throws {
        let fixture = try await GatewayFixture(
            consent: ConsentSettings(
                mode: .asked, versions: ConsentVersions(terms: "1", privacy: "2")))
        _ = try await fixture.signUp()
        _ = try await fixture.passwords.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        let reset = try await fixture.passwords.resetPassword(
            .init(
                token: try await fixture.inner.linkToken(page: "reset-password"),
                password: .init(text: Self.new), device: GatewayFixture.device("d1")),
            fixture.context())
        let signedIn = try await fixture.auth.signInWithPassword(
            .init(
                email: "ada@example.org", password: .init(text: Self.new),
                device: GatewayFixture.device("d1")), fixture.context())
        #expect(reset.requiredActions == [.acceptTerms])
        #expect(reset.requiredActions == signedIn.requiredActions)
    }

    @Test("G-11: the reset signs in, and its session is the only one left")
    func resets() async throws {
        let token = try await token()
        // No time passes: an older session from the same millisecond as the reset must not survive.
        let owner = try await reset(token)
        #expect(owner.account.accountId == ada.account.accountId && owner.account.emailVerified)
        try await fixture.inner.settle()
        #expect(try await fixture.check(ada.session.accessToken).reason == .security)
        #expect(try await fixture.check(owner.session.accessToken).authenticated)
        let fresh = try await fixture.refresh(owner.session.refreshToken)
        #expect(try await fixture.check(fresh.accessToken).authenticated)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.signIn(password: Self.new)
        let mails = try await fixture.inner.mails().filter { $0.subject.contains("was changed") }
        #expect(mails.count == 1)
    }

    @Test("X-02, G-28: unknown addresses get the same responses and limits as known ones")
    func alike() async throws {
        let hour: Int64 = 3_600_000
        for email in ["ada@example.org", "nobody@example.org"] {
            for (remaining, nextAfterMs) in [(2, 0), (1, 0), (0, hour)] as [(UInt32, Int64)] {
                let answer = try await requestReset(email)
                #expect(answer == .init(nextAfterMs: nextAfterMs, remaining: remaining), "\(email)")
            }
        }
        let known = try await refusal { try await requestReset("ADA@example.org") }
        let unknown = try await refusal { try await requestReset("nobody@example.org") }
        #expect(known.code == .tooManyRequests)
        #expect(known == unknown)
        _ = try await requestReset("somebody.else@example.org")
        fixture.time.advance(by: .seconds(3_600))
        _ = try await requestReset()
    }

    @Test("G-11: an invalid address is rejected and not charged")
    func noAddress() async throws {
        for text in ["", "x", String(repeating: "a", count: 70_000)] {
            #expect(try await refusal { try await requestReset(text) }.code == .invalidEmail)
        }
    }

    @Test("G-25: a repeated request sends one mail and is charged once; so is a reset")
    func repeated() async throws {
        for _ in 0..<5 { _ = try await requestReset(in: fixture.context("k")) }
        #expect(try fixture.inner.left("password-reset-by-email", "ada@example.org") == 2)
        let token = try await fixture.inner.linkToken(page: "reset-password")
        let first = try await reset(token, in: fixture.context("r"))
        try await fixture.inner.settle()
        fixture.time.advance(by: .seconds(40))
        let again = try await reset(token, in: fixture.context("r"))
        #expect(first.account == again.account)
        #expect(first.session.refreshToken == again.session.refreshToken)
        #expect(try await fixture.check(again.session.accessToken).authenticated)
    }

    @Test("G-25: a reset that could not reach session is completed by the same call, repeated")
    func halfWay() async throws {
        let token = try await token()
        let limits = RateLimiter(
            limits: fixture.inner.limits, failures: [:], signals: UnreachableSignInSignals(),
            time: fixture.time, randomness: SecureRandomness(),
            logger: fixture.log.logger(time: fixture.time))
        // Opens no session, as if the service were down.
        let broken = PasswordsHandler(
            accounts: fixture.inner.identity.core.accounts,
            credentials: CredentialsClient(fixture.inner.identityOwner().calls),
            sessions: SessionsForIdentity(session: fixture.inner.session),
            tokens: TokenAccounts(sessions: fixture.inner.session, time: fixture.time),
            limits: limits)
        let request = GatewayV1.ResetPasswordRequest(token: token, password: .init(text: Self.new))
        let down = try await refusal {
            try await broken.resetPassword(request, fixture.context("r"))
        }
        #expect(down.code == .permissionDenied)
        try await fixture.inner.settle()
        #expect(try await fixture.check(ada.session.accessToken).reason == .security)
        let owner = try await reset(token, in: fixture.context("r"))
        try await fixture.inner.settle()
        #expect(try await fixture.check(owner.session.accessToken).authenticated)
    }

    @Test("SECURITY.md, Limits: a user locked out of sign-in gets in by a reset")
    func lockedOut() async throws {
        for _ in 0..<5 {
            _ = try await refusal { try await fixture.signIn(password: "Wrong7Horse", device: "x") }
        }
        let locked = try await refusal { try await fixture.signIn(device: "x") }
        #expect(locked.code == .tooManyRequests)
        let owner = try await reset(try await token())
        try await fixture.inner.settle()
        #expect(try await fixture.check(owner.session.accessToken).authenticated)
    }

    @Test("G-11: a verification link, a used link or a weak password sets no password")
    func refused() async throws {
        let verification = try await fixture.inner.linkToken()
        let token = try await token()
        #expect(try await refusal { try await reset(verification) }.code == .invalidLink)
        #expect(try await refusal { try await reset(token, "short") }.code == .weakPassword)
        #expect(try await fixture.check(ada.session.accessToken).authenticated)
        _ = try await reset(token)
        #expect(try await refusal { try await reset(token) }.code == .invalidLink)
    }
}
