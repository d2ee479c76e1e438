import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Each call with an access token, in a session that identity has just ended. The session service
/// has not received the end yet, so the stand-in still names the session's account.
@Suite("X-04: a session that identity has ended changes nothing", .timeLimit(.minutes(1)))
struct AlreadyEndedTests {
    let fixture: IdentityFixture
    let phone: PhoneCodeFixture

    init() throws {
        fixture = try IdentityFixture()
        phone = PhoneCodeFixture(fixture)
    }

    /// Ends the sessions of an account, in identity only.
    private func end(_ account: String, in fixture: IdentityFixture) async throws {
        let id = try #require(AccountID(text: account))
        try await fixture.store.writeUnchecked { transaction in
            try transaction.endSessions(of: id, provedUntil: transaction.at, fixture.outbox)
        }
    }

    private func end(_ account: String) async throws { try await end(account, in: fixture) }

    /// An account with a proved address, and one of its sessions.
    private func person() async throws -> (account: String, session: String) {
        let account = try await fixture.registerProved().accountId
        return (account, fixture.devices.open(account))
    }

    @Test(
        "G-07: an ended guest session cannot register",
        arguments: [IdentitySettings.EnumerationMode.friendly, .strict])
    func registration(mode: IdentitySettings.EnumerationMode) async throws {
        let fixture = try IdentityFixture(enumeration: mode)
        let guest = try await fixture.guest()
        try await end(guest.account, in: fixture)
        let rows = try await fixture.count("outbox")
        let error = try await refusal {
            try await fixture.accounts.register(
                .init(
                    signUp: .init(
                        email: "ada@example.org", password: "Stranger7Password",
                        device: IdentityFixture.device, mailLanguage: "en")),
                fixture.relayed(guest.token))
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("email_addresses") == 0)
        #expect(try await fixture.count("claims") == 0)
        #expect(try await fixture.count("outbox") == rows, "no mail is sent")
    }

    @Test("G-25: the repeat of a sign-up that ended its guest session gets the first answer")
    func registeredAgain() async throws {
        let guest = try await fixture.guest()
        func register() async throws -> String? {
            try await fixture.accounts.register(
                .init(
                    signUp: .init(
                        email: "ada@example.org", password: "Correct7Horse",
                        device: IdentityFixture.device, mailLanguage: "en")),
                fixture.relayed(guest.token, "k")
            ).account?.accountId
        }
        let first = try await register()
        fixture.devices.end(guest.token)
        #expect(try await register() == first)
    }

    @Test("G-16: an ended guest session takes no documents along into a password reset")
    func reset() async throws {
        _ = try await person()
        let guest = try await fixture.guestWithDocument()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let token = try fixture.latestToken("reset-password")
        try await end(guest.account)
        func reset(_ session: String?) async throws -> String? {
            try await fixture.credentials.resetPassword(
                .init(token: token, password: "Owner8Password"), fixture.relayed(session)
            ).account?.email
        }
        #expect(try await refusal { try await reset(guest.token) }.code == .sessionEnded)
        #expect(try await fixture.count("guest_migrations") == 0)
        // The link is still good.
        #expect(try await reset(nil) == "ada@example.org")
    }

    @Test("S-06: an ended session compares no password")
    func password() async throws {
        let stranger = try await person()
        try await end(stranger.account)
        let hashes = fixture.hashes
        for password in ["Correct7Horse", "Wrong7Horse"] {
            let error = try await refusal {
                try await fixture.credentials.changePassword(
                    .init(
                        currentPassword: .init(text: password), newPassword: "Stranger8Password"),
                    fixture.relayed(stranger.session))
            }
            #expect(error.code == .sessionEnded)
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("G-12: an ended session cannot cancel the owner's change of address")
    func cancelling() async throws {
        let stranger = try await person()
        try await end(stranger.account)
        fixture.time.advance(by: .milliseconds(1))
        let owner = fixture.devices.open(stranger.account)
        _ = try await fixture.requestChange("new@example.org", owner)
        let error = try await refusal { try await fixture.cancelChange(stranger.session) }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("email_changes") == 1)
        #expect(try await fixture.cancelChange(owner))
    }

    @Test(
        "G-14: an ended session cannot request a linking or proving code",
        arguments: [PhoneCodePurpose.link, .prove])
    func codeRequest(purpose: PhoneCodePurpose) async throws {
        let account = try await phone.account().accountId
        let session = fixture.devices.open(account)
        try await end(account)
        let error = try await refusal {
            try await phone.request(PhoneCodeFixture.number, purpose, accessToken: session)
        }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.count("phone_codes", where: "account IS NOT NULL") == 0)
        #expect(try await fixture.count("outbox", where: "topic = 'text'") == 0)
    }

    @Test("G-14: an ended session cannot link a number, and no guess is counted")
    func codeLink() async throws {
        let stranger = try await person()
        let sent = try await phone.sent(
            PhoneCodeFixture.number, .link, accessToken: stranger.session)
        try await end(stranger.account)
        for guess in [sent.wrong, sent] {
            let error = try await refusal { try await phone.link(guess, stranger.session) }
            #expect(error.code == .sessionEnded)
        }
        #expect(try await fixture.count("identities") == 0)
        #expect(try await fixture.count("phone_codes", where: "evaluated > 0") == 0)
        let outcome = "auth/session-ended"
        #expect(try await fixture.audited("phone-code.refused", outcome: outcome) == 2)
    }

    @Test("G-13: an ended session cannot prove itself with a phone code")
    func codeProof() async throws {
        let account = try await phone.account().accountId
        let session = fixture.devices.open(account)
        let sent = try await phone.sent(PhoneCodeFixture.number, .prove, accessToken: session)
        try await end(account)
        let error = try await refusal { try await phone.prove(sent, session) }
        #expect(error.code == .sessionEnded)
        #expect(try await fixture.audited("phone-code.proved") == 0)
    }

    @Test("G-13: an ended session cannot prove itself with a provider's token")
    func providerProof() async throws {
        let token = GatewayV1.ProviderToken.token("g1", email: "ada@example.org")
        let account = try await fixture.account(by: token).accountId
        let session = fixture.devices.open(account)
        try await end(account)
        let error = try await refusal {
            try await fixture.identities.proveByProvider(
                .init(device: IdentityFixture.device, proof: .providerToken(token)),
                fixture.relayed(session))
        }
        #expect(error.code == .sessionEnded)
    }
}
