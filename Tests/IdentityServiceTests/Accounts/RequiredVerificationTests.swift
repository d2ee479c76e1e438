import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-02: required email verification", .timeLimit(.minutes(1)))
struct RequiredVerificationTests {
    let house: IdentityFixture

    init() throws { house = try IdentityFixture(verification: .required) }

    private func resend(
        _ password: String = "Correct7Horse", email: String = "ada@example.org",
        key: String? = nil
    ) async throws -> Bool {
        try await house.emails.resendVerificationByPassword(
            .init(email: email, password: .init(text: password)), house.context(key)
        ).sent
    }

    @Test("G-02, D2: sign-up gives no proof; only the right password reveals the status")
    func pending() async throws {
        let answer = try await house.register()
        #expect(answer.proof == nil)
        #expect(answer.account?.status == .pendingVerification)
        #expect(try await house.refusedSignIn() == .emailNotVerified)
        #expect(try await house.refusedSignIn(password: "Wrong7Horse") == .invalidCredential)
        try await house.relay()
        let confirmed = try await house.accounts.confirmEmail(
            .init(token: try house.latestToken(), password: "Correct7Horse"), house.context())
        #expect(confirmed.account?.status == .active)
        #expect(try await house.signIn().account?.emailVerified == true)
    }

    @Test("G-02: a guest who signs up must verify the address too")
    func throughGuest() async throws {
        let guest = try await house.guest()
        let answer = try await house.accounts.register(
            .init(
                email: "ada@example.org", password: "Correct7Horse", language: "en",
                origin: IdentityFixture.origin, guestAccessToken: guest.token), house.context())
        #expect(answer.proof == nil)
        #expect(answer.account?.status == .pendingVerification)
        #expect(try await house.refusedSignIn() == .emailNotVerified)
        try await house.relay()
        let confirmed = try await house.accounts.confirmEmail(
            .init(token: try house.latestToken(), password: "Correct7Horse"), house.context())
        #expect(confirmed.account?.status == .active)
    }

    @Test("G-02: without a session the password requests another link, and the former is void")
    func resends() async throws {
        _ = try await house.register()
        try await house.relay()
        let former = try house.latestToken()
        for _ in 0..<3 { #expect(try await resend(key: "k")) }
        try await house.relay()
        let token = try house.latestToken()
        #expect(house.notifications.mails.count == 2)
        let void = try await refusal {
            try await house.accounts.confirmEmail(
                .init(token: former, password: "Correct7Horse"), house.context())
        }
        #expect(void.code == .invalidLink)
        _ = try await house.accounts.confirmEmail(
            .init(token: token, password: "Correct7Horse"), house.context())
        #expect(try await !resend())
    }

    @Test("X-02: unknown accounts and wrong passwords get one error and cost one hash each")
    func stranger() async throws {
        _ = try await house.register()
        let before = house.hashes
        let wrong = try await refusal { try await resend("Wrong7Horse") }
        let unknown = try await refusal { try await resend(email: "eve@example.org") }
        #expect(wrong == unknown && wrong == ServiceError(.invalidCredential))
        #expect(house.hashes == before + 2)
        try await house.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await resend() }.code == .accountDisabled)
    }

    @Test("G-25: a repeated sign-up gets the account again, and no proof")
    func repeated() async throws {
        let first = try await house.register(key: "k")
        let again = try await house.register(key: "k")
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
