import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12: requesting another verification link", .timeLimit(.minutes(1)))
struct ResendVerificationTests {
    let house: IdentityFixture
    let account: String

    init() async throws {
        house = try IdentityFixture()
        account = try #require(try await house.register().account).accountId
        try await house.relay()
    }

    private func resend(_ account: String? = nil, key: String? = nil) async throws -> Bool {
        try await house.credentials.resendVerification(
            .init(accountId: account ?? self.account, origin: IdentityFixture.origin),
            house.context(key)
        ).sent
    }

    private func confirm(_ token: String) async throws -> Bool {
        try await house.accounts.confirmEmail(
            .init(token: token, accountId: account), house.context()
        ).account?.emailVerified ?? false
    }

    @Test("G-12: the new link is valid for a day, and the former one is void")
    func resends() async throws {
        let former = try house.latestToken()
        house.time.advance(by: .seconds(3_600))
        #expect(try await resend())
        try await house.relay()
        let token = try house.latestToken()
        #expect(try await refusal { try await confirm(former) }.code == .invalidLink)
        house.time.advance(by: .seconds(24 * 3_600) - .milliseconds(1))
        #expect(try await confirm(token))
        #expect(try await house.count("audit", where: "kind = 'account.verification-resent'") == 1)
    }

    @Test("G-12: a proved address gets no link")
    func proved() async throws {
        _ = try await confirm(try house.latestToken())
        #expect(try await !resend())
        #expect(try await house.waiting() == 0)
    }

    @Test("G-12: a pending reset link stays valid")
    func otherPurpose() async throws {
        _ = try await house.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), house.context())
        try await house.relay()
        #expect(try await resend())
        #expect(try await house.count("links", where: "purpose = 2") == 1)
    }

    @Test("G-12: unknown, malformed and disabled accounts are refused")
    func refused() async throws {
        #expect(try await refusal { try await resend("x") }.code == .invalidArgument)
        #expect(try await refusal { try await resend("acc_0000000000001") }.code == .notFound)
        try await house.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await resend() }.code == .accountDisabled)
        #expect(try await house.waiting() == 0)
    }

    @Test("G-25: a repeat mails nothing and gets the first answer, even after the link's use")
    func repeated() async throws {
        #expect(try await resend(key: "k"))
        #expect(try await resend(key: "k"))
        try await house.relay()
        #expect(house.notifications.mails.count { $0.template == "verify-email" } == 2)
        _ = try await confirm(try house.latestToken())
        #expect(try await resend(key: "k"))
        #expect(try await house.waiting() == 0)
    }
}
