import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12: requesting another verification link", .timeLimit(.minutes(1)))
struct ResendVerificationTests {
    let fixture: IdentityFixture
    let access: String

    init() async throws {
        fixture = try IdentityFixture()
        access = try await fixture.member().token
        try await fixture.relay()
    }

    private func resend(in session: String? = nil, key: String? = nil) async throws -> Bool {
        try await fixture.credentials.resendVerification(
            .init(device: IdentityFixture.device), fixture.relayed(session ?? access, key)
        ).sent
    }

    private func confirm(_ token: String) async throws -> Bool {
        try await fixture.accounts.confirmEmail(
            .init(token: token), fixture.relayed(access)
        ).account?.emailVerified ?? false
    }

    @Test("G-12: the new link is valid for a day, and the former one is void")
    func resends() async throws {
        let former = try fixture.latestToken()
        fixture.time.advance(by: .seconds(3_600))
        #expect(try await resend())
        try await fixture.relay()
        let token = try fixture.latestToken()
        #expect(try await refusal { try await confirm(former) }.code == .invalidLink)
        fixture.time.advance(by: .seconds(24 * 3_600) - .milliseconds(1))
        #expect(try await confirm(token))
        #expect(
            try await fixture.count("audit", where: "kind = 'account.verification-resent'") == 1)
    }

    @Test("G-12: a proved address gets no link")
    func proved() async throws {
        _ = try await confirm(try fixture.latestToken())
        try await fixture.relay()
        #expect(try await !resend())
        #expect(try await fixture.waiting() == 0)
    }

    @Test("G-12: a pending reset link stays valid")
    func otherPurpose() async throws {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        #expect(try await resend())
        #expect(try await fixture.count("links", where: "purpose = 2") == 1)
    }

    @Test("G-12: calls outside a session, and of unknown and disabled accounts, are refused")
    func refused() async throws {
        let outside = try await refusal {
            try await fixture.credentials.resendVerification(.init(), fixture.context())
        }
        #expect(outside.code == .invalidAccessToken)
        let nobody = fixture.devices.open("acc_0000000000001")
        #expect(try await refusal { try await resend(in: nobody) }.code == .invalidAccessToken)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await resend() }.code == .accountDisabled)
        #expect(try await fixture.waiting() == 0)
    }

    @Test("G-25: a repeat mails nothing and gets the first answer, even after the link's use")
    func repeated() async throws {
        #expect(try await resend(key: "k"))
        #expect(try await resend(key: "k"))
        try await fixture.relay()
        #expect(fixture.notifications.mails.count { $0.template == "verify-email" } == 2)
        _ = try await confirm(try fixture.latestToken())
        try await fixture.relay()
        #expect(try await resend(key: "k"))
        #expect(try await fixture.waiting() == 0)
    }
}
