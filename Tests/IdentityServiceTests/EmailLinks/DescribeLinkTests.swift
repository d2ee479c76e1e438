import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite(
    "G-11, G-12, W-04: what a mailed link is about, before anything is typed",
    .timeLimit(.minutes(1)))
struct DescribeLinkTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("a link that verifies an address is usable until it is used or replaced, with a password")
    func verifyEmail() async throws {
        let account = try #require(try await fixture.register("Ada@example.org").account)
        try await fixture.relay()
        let first = try await fixture.expectUsable(.verifyEmail, "verify-email", password: true)
        let session = fixture.devices.open(account.accountId)
        _ = try await fixture.credentials.resendVerification(.init(), fixture.relayed(session))
        try await fixture.relay()
        let second = try await fixture.expectUsable(.verifyEmail, "verify-email", password: true)
        try await fixture.expectUnusable(.verifyEmail, first, "replaced")
        _ = try await fixture.accounts.confirmEmail(
            .init(token: second), fixture.relayed(session))
        try await fixture.expectUnusable(.verifyEmail, second, "used")
    }

    @Test("with strict enumeration it is usable while its claim can be confirmed by a password")
    func claim() async throws {
        let fixture = try IdentityFixture(enumeration: .strict)
        let account = try #require(try await fixture.register().account)
        try await fixture.relay()
        let token = try await fixture.expectUsable(.verifyEmail, "verify-email", password: true)
        for _ in 0..<5 {
            _ = try await refusal {
                try await fixture.accounts.confirmEmail(
                    .init(token: token, password: "Wrong7Horse"), fixture.context())
            }
        }
        try await fixture.expectUnusable(.verifyEmail, token, "guessed at")
        let session = fixture.devices.open(account.accountId)
        _ = try await fixture.credentials.resendVerification(.init(), fixture.relayed(session))
        try await fixture.relay()
        let next = try await fixture.expectUsable(.verifyEmail, "verify-email", password: true)
        _ = try await fixture.accounts.confirmEmail(.init(token: next), fixture.relayed(session))
        try await fixture.expectUnusable(.verifyEmail, next, "used")
    }

    @Test("X-02: a claim's link is unusable once another account has the address")
    func lostClaim() async throws {
        let fixture = try IdentityFixture(enumeration: .strict)
        _ = try await fixture.register()
        try await fixture.relay()
        let token = try await fixture.expectUsable(.verifyEmail, "verify-email", password: true)
        let owner = try #require(try await fixture.register(password: "Owners9Password").account)
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()),
            fixture.relayed(fixture.devices.open(owner.accountId)))
        try await fixture.expectUnusable(.verifyEmail, token, "the address is owned")
    }

    private func requestReset() async throws {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
    }

    @Test("a link that resets a password needs none, and works once")
    func resetPassword() async throws {
        _ = try await fixture.register()
        try await requestReset()
        let first = try await fixture.expectUsable(.resetPassword, "reset-password")
        try await requestReset()
        let second = try await fixture.expectUsable(.resetPassword, "reset-password")
        try await fixture.expectUnusable(.resetPassword, first, "replaced")
        _ = try await fixture.credentials.resetPassword(
            .init(
                token: second, password: "Owner8Password", device: IdentityFixture.device),
            fixture.context())
        try await fixture.expectUnusable(.resetPassword, second, "used")
    }

    @Test("a link to a new address shows that one, and is void after five wrong passwords")
    func changeEmail() async throws {
        let (_, session) = try await fixture.person()
        _ = try await fixture.requestChange("First@example.org", session)
        try await fixture.relay()
        let first = try await fixture.expectUsable(
            .changeEmail, "email-change-confirm", password: true)
        _ = try await fixture.requestChange("second@example.org", session)
        try await fixture.relay()
        let second = try await fixture.expectUsable(
            .changeEmail, "email-change-confirm", password: true)
        try await fixture.expectUnusable(.changeEmail, first, "replaced")
        for _ in 0..<5 {
            _ = try await fixture.refusedChange(second, password: "Wrong7Horse")
        }
        try await fixture.expectUnusable(.changeEmail, second, "guessed at")
        _ = try await fixture.confirmChange(second, access: session)
        try await fixture.expectUnusable(.changeEmail, second, "used")
    }

    private func requestDeletion() async throws {
        _ = try await fixture.deletions.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
    }

    @Test("a link to the deletion is usable until the deletion has begun")
    func deleteAccount() async throws {
        _ = try await fixture.person()
        try await requestDeletion()
        let first = try await fixture.expectUsable(.deleteAccount, "deletion-link")
        try await requestDeletion()
        let second = try await fixture.expectUsable(.deleteAccount, "deletion-link")
        try await fixture.expectUnusable(.deleteAccount, first, "replaced")
        try await fixture.requestDeletion(IdentityFixture.caller(link: second))
        try await fixture.expectUnusable(.deleteAccount, second, "used")
    }

    private func waitForDeletion(
        _ account: AccountID, _ session: String
    ) async throws -> String {
        try await fixture.requestDeletion(IdentityFixture.caller(session), wait: true)
        await fixture.performDeletion(of: account)
        try await fixture.relay()
        return try await fixture.expectUsable(.keepAccount, "deletion-scheduled")
    }

    @Test("a link that keeps the account is usable while its deletion waits")
    func keepAccount() async throws {
        let (ada, session) = try await fixture.person()
        let first = try await waitForDeletion(ada, session)
        #expect(try await fixture.cancelDeletion(IdentityFixture.caller(link: first)))
        try await fixture.expectUnusable(.keepAccount, first, "used")
        let second = try await waitForDeletion(ada, session)
        fixture.time.advance(by: .seconds(8 * 86_400))
        await fixture.performDeletion(of: ada)
        try await fixture.expectUnusable(.keepAccount, second, "the deletion has begun")
    }

    @Test("while a suspension holds the deletion beyond its time, that link has no end")
    func held() async throws {
        let (ada, session) = try await fixture.person()
        let token = try await waitForDeletion(ada, session)
        _ = try await fixture.admin(NoActivity()).suspendAccount(
            .init(accountId: ada.text, reason: "x", actor: "ann"),
            fixture.context(application: "tool"))
        fixture.time.advance(by: .seconds(8 * 86_400))
        await fixture.performDeletion(of: ada)
        let link = try await fixture.describe(.keepAccount, token)
        #expect(link == .init(usable: true, email: "ada@example.org"))
    }

    @Test("a link to the archive needs the password, and serves once")
    func yourData() async throws {
        let (_, session) = try await fixture.person()
        let export = try await fixture.prepareExport(session)
        try await fixture.relay()
        let first = try await fixture.expectUsable(.yourData, "export-ready", password: true)
        _ = try await fixture.fetch(session, export.exportId, link: first)
        try await fixture.expectUnusable(.yourData, first, "used")
        #expect(try await fixture.cancelExport(session))
        _ = try await fixture.prepareExport(session)
        try await fixture.relay()
        let second = try await fixture.expectUsable(.yourData, "export-ready", password: true)
        #expect(try await fixture.cancelExport(session))
        try await fixture.expectUnusable(.yourData, second, "cancelled")
    }

    @Test("G-23: a parent's link shows the parent's address, and no date once there is an answer")
    func parent() async throws {
        let fixture = try IdentityFixture(consent: .age(.allowed))
        let child = try await fixture.register("kid@example.org", accepting: .eleven).account
        let session = fixture.devices.open(child.accountId)
        _ = try await fixture.askParent(session)
        let first = try await fixture.expectUsable(.parent, "parental-consent")
        let second = try await fixture.askParent(session, at: "dad@example.org")
        #expect(try await fixture.expectUsable(.parent, "parental-consent") == second)
        try await fixture.expectUnusable(.parent, first, "replaced")
        let answered = GatewayV1.DescribeLinkResponse(usable: true, email: "dad@example.org")
        #expect(try await fixture.answerParent(second, .give) == .given)
        // Attack: the end of the link, which is known, would tell the child's birthday.
        #expect(try await fixture.describe(.parent, second) == answered)
        #expect(try await fixture.answerParent(second, .refuse) == .refused)
        #expect(try await fixture.describe(.parent, second) == answered)
    }

    @Test("G-23: a parent's link ends with its week, and after a consent when the child is of age")
    func parentsEnd() async throws {
        for isGiven in [false, true] {
            let fixture = try IdentityFixture(consent: .age(.allowed))
            let child = try await fixture.register("kid@example.org", accepting: .eleven).account
            let token = try await fixture.askParent(fixture.devices.open(child.accountId))
            if isGiven { #expect(try await fixture.answerParent(token, .give) == .given) }
            // The child is of age after 366 days.
            for (days, isUsable) in [(7, true), (300, isGiven), (400, false)] {
                let end = ManualTime().now() + .seconds(days * 86_400) - .milliseconds(1)
                fixture.time.advance(by: end - fixture.time.now())
                #expect(try await fixture.describe(.parent, token).usable == isUsable, "\(days)")
            }
        }
    }

    @Test(
        "each other link is usable until its last millisecond",
        arguments: links)
    func expired(purpose: GatewayV1.LinkPurpose, template: String) async throws {
        try await mailAll()
        let (token, mail) = try fixture.mailed(template)
        let end = Timestamp(milliseconds: mail.expiresAtMs)
        fixture.time.advance(by: end - fixture.time.now() - .milliseconds(1))
        #expect(try await fixture.describe(purpose, token).usable)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.expectUnusable(purpose, token, "expired")
    }

    /// Mails a link for each purpose of `links` and a change. The first one is of Grace, the others
    /// are of Ada, whose address is proved.
    private func mailAll(_ fixture: IdentityFixture? = nil) async throws {
        let fixture = fixture ?? self.fixture
        let (_, session) = try await fixture.person()
        _ = try await fixture.register("grace@example.org")
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org"), fixture.context())
        _ = try await fixture.deletions.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        _ = try await fixture.requestChange("new@example.org", session)
        _ = try await fixture.prepareExport(session)
        try await fixture.relay()
    }

    /// The links of `mailAll`.
    private static let links: [(GatewayV1.LinkPurpose, String)] = [
        (.verifyEmail, "verify-email"), (.resetPassword, "reset-password"),
        (.deleteAccount, "deletion-link"), (.changeEmail, "email-change-confirm"),
        (.yourData, "export-ready"),
    ]

    /// The purposes of the links that are usable now.
    private func usable() async throws -> [GatewayV1.LinkPurpose] {
        var found: [GatewayV1.LinkPurpose] = []
        for (purpose, template) in Self.links {
            let token = try fixture.mailed(template).token
            if try await fixture.describe(purpose, token).usable { found.append(purpose) }
        }
        return found
    }

    @Test("a link is unusable in a state of the account in which its method refuses it")
    func status() async throws {
        try await mailAll()
        #expect(try await usable() == Self.links.map { $0.0 })
        func set(_ status: AccountStatus) async throws {
            try await fixture.change("UPDATE accounts SET status = \(status.rawValue)")
        }
        try await set(.pendingVerification)
        #expect(try await usable() == [.verifyEmail, .resetPassword, .deleteAccount])
        for status in [AccountStatus.suspended, .deleting] {
            try await set(status)
            #expect(try await usable() == [])
        }
    }

    @Test("of an account without a password, links that need one work in its session only")
    func withoutPassword() async throws {
        try await mailAll()
        try await fixture.change("DELETE FROM passwords")
        for (purpose, template) in Self.links {
            let token = try fixture.mailed(template).token
            let link = try await fixture.describe(purpose, token)
            let isInSession = purpose == .changeEmail || purpose == .yourData
            #expect(link.usable && link.sessionNeeded == isInSession, "\(purpose)")
            #expect(link.passwordNeeded == (purpose == .verifyEmail), "\(purpose)")
        }
    }

    @Test("attack: an account without a password gets no victim's address by the victim's click")
    func click() async throws {
        let (_, session) = try await fixture.person()
        _ = try await fixture.requestChange("victim@example.org", session)
        try await fixture.relay()
        try await fixture.change("DELETE FROM passwords")
        let (token, mail) = try fixture.mailed("email-change-confirm")
        let expected = GatewayV1.DescribeLinkResponse(
            usable: true, email: "victim@example.org", expiresAtMs: mail.expiresAtMs,
            sessionNeeded: true)
        #expect(try await fixture.describe(.changeEmail, token) == expected)
        #expect(try await fixture.refusedChange(token) == .passwordNeeded)
        #expect(try await fixture.refusedChange(token, password: "Any7Horse") == .invalidCredential)
        let account = try await fixture.confirmChange(token, access: session)
        #expect(account.email == "victim@example.org")
    }

    @Test("a link to an address that the account has no longer is unusable")
    func otherAddress() async throws {
        try await mailAll()
        try await fixture.change("UPDATE links SET address_key = x'00'")
        #expect(try await usable() == [.changeEmail])
    }

    @Test("nothing is written, whatever is asked")
    func reads() async throws {
        let holder = FailingWritesHolder()
        let fixture = try IdentityFixture(backend: holder.wrap)
        try await mailAll(fixture)
        let backend = try #require(holder.backend)
        backend.fail(after: 0)
        for (purpose, template) in Self.links {
            let token = try fixture.mailed(template).token
            #expect(try await fixture.describe(purpose, token).usable)
            try await fixture.expectUnusable(purpose, "invented", "invented")
        }
        #expect(backend.failures == 0)
    }

    @Test("only the gateway may ask, and only for a purpose that there is")
    func refused() async throws {
        for purpose in [GatewayV1.LinkPurpose.unspecified, .init(rawValue: 99)] {
            let error = try await refusal { try await fixture.describe(purpose, "x") }
            #expect(error.code == .invalidArgument && error.fields == ["purpose"])
        }
        for application in ["web", "tool", "session"] {
            let error = try await refusal {
                try await fixture.accounts.describeLink(
                    .init(purpose: .parent, token: .init("x")),
                    fixture.context(application: application))
            }
            #expect(error.code == .permissionDenied)
        }
    }
}

extension IdentityFixture {
    /// What a link is about.
    fileprivate func describe(
        _ purpose: GatewayV1.LinkPurpose, _ token: String
    ) async throws -> GatewayV1.DescribeLinkResponse {
        try await accounts.describeLink(
            .init(purpose: purpose, token: .init(token)), context())
    }

    /// The token of the link in the latest mail of a template, and the mail.
    fileprivate func mailed(
        _ template: String
    ) throws -> (token: String, mail: NotificationV1.SendEmailRequest) {
        let mail = try #require(self.mail(template))
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        return (try #require(link.split(separator: "=").last.map(String.init)), mail)
    }

    /// Expects that the link of the latest mail of a template is usable for its purpose, and as
    /// often as one asks; for no other purpose, and by no other token.
    /// - Returns: its token.
    @discardableResult
    fileprivate func expectUsable(
        _ purpose: GatewayV1.LinkPurpose, _ template: String, password: Bool = false
    ) async throws -> String {
        let (token, mail) = try mailed(template)
        let expected = GatewayV1.DescribeLinkResponse(
            usable: true, email: mail.recipient, passwordNeeded: password,
            expiresAtMs: mail.expiresAtMs)
        for _ in 0..<2 { #expect(try await describe(purpose, token) == expected) }
        for number in 1...Int32(8) where number != purpose.rawValue {
            try await expectUnusable(.init(rawValue: number), token, "of another purpose")
        }
        let zeros = String(repeating: "A", count: 43)
        for wrong in ["", "x", String(token.dropLast()), token + "A", zeros, " " + token] {
            try await expectUnusable(purpose, wrong, "another token")
        }
        return token
    }

    /// Expects the one answer about links that are not usable, whatever the reason.
    fileprivate func expectUnusable(
        _ purpose: GatewayV1.LinkPurpose, _ token: String, _ reason: Comment
    ) async throws {
        let answer = try await describe(purpose, token)
        #expect(answer == GatewayV1.DescribeLinkResponse(), reason)
    }
}
