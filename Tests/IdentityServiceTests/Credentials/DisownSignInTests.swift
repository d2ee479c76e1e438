import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("N-01: \"this was not me\" shuts a thief out", .timeLimit(.minutes(1)))
struct DisownSignInTests {
    let fixture: IdentityFixture
    let ada: AccountID
    let session: String

    private let google = GatewayV1.ProviderToken.token("g1", email: "thief@example.org")

    init() async throws {
        fixture = try IdentityFixture()
        (ada, session) = try await fixture.person()
    }

    // MARK: What it does

    @Test("sessions, push devices, known devices and the password end; the owner gets a way in")
    func effects() async throws {
        try await fixture.signInAsThief()
        let token = try await fixture.notMeToken()
        #expect(try await fixture.disown(token) == "ada@example.org")
        let end = try #require(fixture.sessions.ended.last)
        #expect(end.accountId == ada.text && end.exceptSessionId.isEmpty)
        #expect(end.reason == .security)
        #expect(fixture.pushDevices.revoked == [ada.text])
        #expect(try await fixture.count("known_devices") == 0)
        #expect(try await fixture.audited("sign-in.disowned") == 1)
        #expect(try await fixture.audited("account.password-reset-mailed") == 1)
        #expect(!fixture.templates.contains("sign-in-disowned"))
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        let reset = try await fixture.credentials.resetPassword(
            .init(
                token: try fixture.latestToken("reset-password"), password: "Owner8Password",
                device: IdentityFixture.device), fixture.context())
        #expect(reset.account?.accountId == ada.text && reset.forgetDevices)
        _ = try await fixture.signIn(password: "Owner8Password")
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
    }

    @Test("pending changes and a deletion that waits are cancelled")
    func pending() async throws {
        _ = try await fixture.requestChange("thief@example.org", session)
        try await fixture.requestDeletion(IdentityFixture.caller(session), wait: true)
        try await fixture.signInAsThief()
        try await fixture.disown(try await fixture.notMeToken())
        #expect(try await fixture.count("email_changes") == 0)
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(try await fixture.audited("account.deletion-cancelled") == 1)
        #expect(fixture.templates.contains("deletion-cancelled"))
    }

    @Test("the method that the mail reports is removed, and no other; email does not link it again")
    func method() async throws {
        _ = try await fixture.link(google, in: session)
        _ = try await fixture.link(.token("a1", by: "apple"), in: session)
        let before = fixture.notifications.mails.count
        _ = try await fixture.notMeToken("method-added")
        #expect(fixture.notifications.mails.count == before + 2)
        let token = try notMeToken(reporting: "google")
        try await fixture.disown(token)
        let methods = try await fixture.store.account(ada).methods
        #expect(methods == [.provider("apple")], "and the password counts no more")
        #expect(try await fixture.audited("identity.unlinked") == 1)
        #expect(fixture.templates.contains("method-removed"))
        #expect(try await fixture.count("removed_identities") == 1)
        #expect(try await fixture.account(by: google).accountId != ada.text)
    }

    /// The token in the mail about a method that was added.
    private func notMeToken(reporting method: String) throws -> String {
        let mail = try #require(
            fixture.notifications.mails.last { mail in
                mail.template == "method-added"
                    && mail.variables.contains { $0.name == "method" && $0.value == method }
            })
        let link = try #require(mail.variables.first { $0.name == "not-me-link" }).value
        return try #require(link.split(separator: "=").last.map(String.init))
    }

    @Test("attack: a thief leaves only the thief's own method: it goes, and a reset is the way in")
    func lastMethod() async throws {
        _ = try await fixture.link(google, in: session)
        _ = try await fixture.unlink("password", in: session)
        let token = try await fixture.notMeToken("method-added")
        #expect(try await fixture.store.account(ada).methods == [.provider("google")])
        try await fixture.disown(token)
        #expect(try await fixture.store.account(ada).methods == [])
        #expect(!fixture.templates.contains("sign-in-disowned"))
        let reset = try await fixture.credentials.resetPassword(
            .init(
                token: try fixture.latestToken("reset-password"), password: "Owner8Password",
                device: IdentityFixture.device), fixture.context())
        #expect(reset.account?.methods == ["password"])
    }

    @Test("who never had a password, and keeps another method, gets a mail about what was done")
    func withoutPassword() async throws {
        let own = GatewayV1.ProviderToken.token("g2", email: "grace@example.org")
        let grace = try await fixture.account(by: own).accountId
        _ = try await fixture.link(
            .token("a2", by: "apple"), in: fixture.devices.open(grace))
        let email = try await fixture.disown(try await fixture.notMeToken("method-added"))
        #expect(email == "grace@example.org")
        let mail = try #require(fixture.mail("sign-in-disowned"))
        #expect(mail.variables.map(\.name) == ["methods", "time"])
        #expect(mail.variables.first?.value == "google")
        #expect(!fixture.templates.contains("reset-password"))
        #expect(try await fixture.account(by: own).accountId == grace)
    }

    @Test("which mail follows, by what an account has")
    func rule() {
        for left in [[], [SignInMethod.phone], [.phone, .provider("google")]] {
            #expect(DisownRule.mail(hasPassword: true, left: left, mayReset: true) == .reset)
            #expect(
                DisownRule.mail(hasPassword: false, left: left, mayReset: true)
                    == (left.isEmpty ? .reset : .signInAgain))
            for hasPassword in [true, false] {
                #expect(
                    DisownRule.mail(hasPassword: hasPassword, left: left, mayReset: false)
                        == (left.isEmpty ? nil : .signInAgain), "G-36: no link sets a password")
            }
        }
    }

    // MARK: Repeats and links that do not work

    @Test("G-25: a repeat gets the first answer and does nothing; without the key the link is used")
    func repeats() async throws {
        try await fixture.signInAsThief()
        let token = try await fixture.notMeToken()
        #expect(try await fixture.disown(token, key: "k") == "ada@example.org")
        let mails = fixture.notifications.mails.count
        #expect(try await fixture.disown(token, key: "k") == "ada@example.org")
        #expect(fixture.notifications.mails.count == mails)
        #expect(try await fixture.audited("sign-in.disowned") == 1)
        try await fixture.expectNotDisowning(token, "used")
        try await fixture.expectNotDisowning(token, key: "other", "used")
        try await fixture.signInAsThiefAfterReset()
        let next = try await fixture.notMeToken()
        #expect(
            try await refusal { try await fixture.disown(next, key: "k") }.code
                == .idempotencyKeyReused)
        #expect(try await fixture.describesDisowning(next).usable)
    }

    @Test("a link that is old, of another purpose, or to a former address does not work")
    func invalid() async throws {
        try await fixture.signInAsThief()
        let token = try await fixture.notMeToken()
        let described = try await fixture.describesDisowning(token)
        #expect(described.usable && described.email == "ada@example.org")
        #expect(!described.passwordNeeded && !described.sessionNeeded)
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        try await fixture.expectNotDisowning(
            try fixture.latestToken("reset-password"), "of a reset")
        for wrong in ["", "x", String(token.dropLast()), token + "A"] {
            try await fixture.expectNotDisowning(wrong, "another token")
        }
        let key = try await fixture.store.account(ada).address?.lookUpKey ?? []
        try await fixture.change("UPDATE links SET address_key = x'00'")
        try await fixture.expectNotDisowning(token, "to a former address")
        try await fixture.change("UPDATE links SET address_key = ?", [.blob(key)])
        let life = fixture.settings.notMeLife
        #expect(life == .seconds(7 * 86_400))
        let end = Timestamp(milliseconds: described.expiresAtMs)
        fixture.time.advance(by: end - fixture.time.now() - .milliseconds(1))
        #expect(try await fixture.describesDisowning(token).usable)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.expectNotDisowning(token, "old")
        #expect(try await fixture.audited("sign-in.disowned") == 0)
        _ = try await fixture.signIn()
    }

    @Test("I-09: a suspension voids the links; a guest has none")
    func others() async throws {
        try await fixture.signInAsThief()
        let token = try await fixture.notMeToken()
        _ = try await fixture.admin(NoActivity()).suspendAccount(
            .init(accountId: ada.text, reason: "x", actor: "ann"),
            fixture.context(application: "tool"))
        try await fixture.expectNotDisowning(token, "suspended")
        for _ in 0..<2 { _ = try await fixture.guest() }
        try await fixture.relay()
        #expect(try await fixture.count("links", where: "purpose = 8") == 0)
    }
}

extension IdentityFixture {
    /// The owner sets a password by the mailed link, and the thief learns that one too.
    fileprivate func signInAsThiefAfterReset() async throws {
        _ = try await credentials.resetPassword(
            .init(
                token: try latestToken("reset-password"), password: "Owner8Password",
                device: Self.device), context())
        try await signInAsThief(on: "thief-2", password: "Owner8Password")
    }
}
