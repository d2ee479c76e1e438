import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// Attack: a thief of the password, in a session, sets up the first factor, and would lock the owner
/// out for good.
@Suite("F-03, N-01: the mail about a first factor removes it", .timeLimit(.minutes(1)))
struct FirstFactorLinkTests {
    let fixture: IdentityFixture
    let account: String
    /// The thief's access token.
    let thief: String
    let confirmed: IdentityV1.ConfirmTOTPResponse

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
        thief = fixture.devices.open(account)
        confirmed = try await fixture.setUpApp(in: thief).answer
        fixture.time.advance(by: .seconds(60))
    }

    private func link() async throws -> String {
        try await fixture.notMeToken("second-factor-on")
    }

    @Test("the link removes the factor and its codes, and ends all sessions")
    func removes() async throws {
        let token = try await link()
        #expect(try await fixture.describesDisowning(token).usable)
        try await fixture.disown(token)
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.count("recovery_codes") == 0)
        #expect(try await fixture.audited("second-factor.removed") == 1)
        let ended = try #require(fixture.sessions.ended.last)
        #expect(ended.accountId == account && ended.exceptSessionId.isEmpty)
        // The password, which the thief knows, counts no more; the owner sets another one.
        fixture.time.advance(by: .seconds(1))
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        #expect(try await fixture.resetPassword().proof != nil)
    }

    @Test("factors that the thief has added by the first one go too")
    func further() async throws {
        let token = try await link()
        for _ in 0..<2 {
            fixture.time.advance(by: .seconds(30))
            _ = try await fixture.setUpApp(in: thief)
        }
        let others = fixture.notifications.mails.filter { $0.template == "second-factor-on" }
        #expect(
            others.dropFirst().allSatisfy { mail in
                mail.variables.contains { $0.name == "not-me-link" && $0.value.isEmpty }
            })
        try await fixture.disown(token)
        #expect(try await fixture.count("second_factors") == 0)
        #expect(try await fixture.audited("second-factor.removed") == 1)
    }

    @Test("once the time of links is over, nothing in the mailbox takes a factor away")
    func later() async throws {
        let token = try await link()
        fixture.time.advance(by: fixture.settings.notMeLife)
        try await fixture.expectNotDisowning(token, "it is too old")
        fixture.devices.proveAgain(thief, amr: Authentication.totp.amr)
        _ = try await fixture.setUpApp(in: thief)
        try await fixture.relay()
        let mail = try #require(fixture.mail("second-factor-on"))
        #expect(mail.variables.contains { $0.name == "not-me-link" && $0.value.isEmpty })
        #expect(try await fixture.count("second_factors") == 2)
    }

    @Test("a factor that was set up again is not removed by the mail of before")
    func again() async throws {
        let former = try await link()
        let id = try #require(confirmed.factor).factorId
        _ = try await fixture.removeFactor(id, in: thief)
        _ = try await fixture.setUpApp(in: thief)
        let token = try await link()
        #expect(token != former)
        try await fixture.expectNotDisowning(former, "its factor is gone")
        try await fixture.disown(token)
        #expect(try await fixture.count("second_factors") == 0)
    }

    @Test("a reset of the password, which waits for the factor, does not void the link")
    func reset() async throws {
        let token = try await link()
        _ = try await fixture.challenge {
            try await fixture.reset(try await fixture.resetToken())
        }
        try await fixture.disown(token)
        #expect(try await fixture.count("second_factors") == 0)
    }

    @Test("a link about a sign-in removes no factor")
    func signIn() async throws {
        let owner = try await fixture.person("eve@example.org")
        let factor = try await fixture.plantFactor(in: owner.account.text)
        let thiefs = GatewayV1.Device(deviceId: "thief", platform: "cli")
        let challenge = try await fixture.challenge {
            try await fixture.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: "eve@example.org", password: "Correct7Horse", device: thiefs)),
                fixture.context())
        }
        _ = try await fixture.complete(
            challenge, .totpCode(factor.code(at: fixture.time.now())), on: thiefs)
        let before = try await fixture.count("second_factors")
        try await fixture.disown(try await fixture.notMeToken())
        #expect(try await fixture.count("second_factors") == before)
    }

    @Test("attack: to an unproved address no link is mailed, or its reader could take the factor")
    func unproved() async throws {
        let (_, token) = try await fixture.member("grace@example.org")
        _ = try await fixture.setUpApp(in: token)
        try await fixture.relay()
        let mail = try #require(
            fixture.notifications.mails.last {
                $0.template == "second-factor-on" && $0.recipient == "grace@example.org"
            })
        #expect(mail.variables.contains { $0.name == "not-me-link" && $0.value.isEmpty })
    }
}
