import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-02: required email verification", .timeLimit(.minutes(1)))
struct RequiredVerificationTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture(verification: .required) }

    private func resend(
        _ password: String = "Correct7Horse", email: String = "ada@example.org",
        key: String? = nil, on device: String = ""
    ) async throws -> Bool {
        try await fixture.emails.resendVerificationByPassword(
            .init(
                email: email, password: .init(text: password), device: .init(deviceId: device)),
            fixture.context(key)
        ).sent
    }

    @Test("G-02, D2: sign-up gives no proof; only the right password reveals the status")
    func pending() async throws {
        let answer = try await fixture.register()
        #expect(answer.proof == nil)
        #expect(answer.account?.status == .pendingVerification)
        #expect(try await fixture.refusedSignIn() == .emailNotVerified)
        #expect(try await fixture.refusedSignIn(password: "Wrong7Horse") == .invalidCredential)
        try await fixture.relay()
        let confirmed = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Correct7Horse"), fixture.context())
        #expect(confirmed.account?.status == .active)
        #expect(try await fixture.signIn().account?.emailVerified == true)
    }

    @Test("G-02: a guest who signs up must verify the address too")
    func throughGuest() async throws {
        let guest = try await fixture.guest()
        let answer = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: IdentityFixture.device, mailLanguage: "en")),
            fixture.relayed(guest.token))
        #expect(answer.proof == nil)
        #expect(answer.account?.status == .pendingVerification)
        #expect(try await fixture.refusedSignIn() == .emailNotVerified)
        try await fixture.relay()
        let confirmed = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Correct7Horse"), fixture.context())
        #expect(confirmed.account?.status == .active)
    }

    @Test("G-02: without a session the password requests another link, and the former is void")
    func resends() async throws {
        _ = try await fixture.register()
        try await fixture.relay()
        let former = try fixture.latestToken()
        for _ in 0..<3 { #expect(try await resend(key: "k")) }
        try await fixture.relay()
        let token = try fixture.latestToken()
        #expect(fixture.notifications.mails.count == 2)
        let void = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: former, password: "Correct7Horse"), fixture.context())
        }
        #expect(void.code == .invalidLink)
        _ = try await fixture.accounts.confirmEmail(
            .init(token: token, password: "Correct7Horse"), fixture.context())
        #expect(try await !resend())
    }

    @Test("X-04: after the owner has taken the account back, a repeat compares no password")
    func takenBack() async throws {
        _ = try await fixture.register()
        #expect(try await resend(key: "k"))
        try await fixture.resetPassword()
        let hashes = fixture.hashes
        let refused = try await refusal { try await resend("Owner8Password", key: "k") }
        #expect(refused.code == .idempotencyKeyReused && fixture.hashes == hashes)
    }

    @Test(
        "a right password of a verified account is audited, and a new device mailed",
        arguments: ["thief", ""])
    func confirmsPassword(device: String) async throws {
        _ = try await fixture.register()
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Correct7Horse"), fixture.context())
        try await fixture.relay()
        #expect(try await !resend(on: device))
        try await fixture.relay()
        #expect(fixture.templates.last == "new-device")
        #expect(try await fixture.audited("account.verification-not-needed") == 1)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await resend() }.code == .accountDisabled)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'sign-in.failed' AND outcome = 'auth/user-disabled'") == 1)
    }

    @Test("another request's idempotency key is refused before the password is compared")
    func reusedKey() async throws {
        _ = try await fixture.register()
        _ = try await fixture.register("eve@example.org")
        #expect(try await resend(email: "eve@example.org", key: "k"))
        let before = fixture.hashes
        let wrong = try await refusal { try await resend("Wrong7Horse", key: "k") }
        let right = try await refusal { try await resend(key: "k") }
        #expect(wrong == right && right.code == .idempotencyKeyReused)
        #expect(fixture.hashes == before)
    }

    @Test("X-02: unknown accounts and wrong passwords get one error and cost one hash each")
    func stranger() async throws {
        _ = try await fixture.register()
        let before = fixture.hashes
        let wrong = try await refusal { try await resend("Wrong7Horse") }
        let unknown = try await refusal { try await resend(email: "eve@example.org") }
        #expect(wrong == unknown && wrong == ServiceError(.invalidCredential))
        #expect(fixture.hashes == before + 2)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await resend() }.code == .accountDisabled)
    }

    @Test("G-25: a repeated sign-up gets the account again, and no proof")
    func repeated() async throws {
        let first = try await fixture.register(key: "k")
        let again = try await fixture.register(key: "k")
        #expect(again.proof == nil && again.account == first.account)
    }

    @Test("X-02: in strict mode an unverified sign-up has no proof, and its password fails")
    func strict() async throws {
        let strict = try IdentityFixture(enumeration: .strict, verification: .required)
        let answer = try await strict.register()
        #expect(answer.proof == nil && answer.account?.isGuest == true)
        #expect(try await strict.refusedSignIn() == .invalidCredential)
        try await strict.relay()
        _ = try await strict.accounts.confirmEmail(
            .init(token: try strict.latestToken(), password: "Correct7Horse"), strict.context())
        #expect(try await strict.signIn().account?.emailVerified == true)
    }
}
