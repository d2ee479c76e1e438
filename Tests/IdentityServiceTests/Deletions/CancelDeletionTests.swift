import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite(
    "G-19: a deletion that waits can be cancelled; links about deletions", .timeLimit(.minutes(1)))
struct CancelDeletionTests {
    let fixture: IdentityFixture
    let ada: AccountID
    let token: String

    init() async throws {
        fixture = try IdentityFixture()
        (ada, token) = try await fixture.person()
    }

    private func wait() async throws {
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        await fixture.performDeletion(of: ada)
        try await fixture.relay()
    }

    /// The token of the link in the latest mail of a template.
    private func link(_ template: String, page: String) throws -> String {
        let mail = try #require(fixture.notifications.mails.last { $0.template == template })
        let link = try #require(mail.variables.first { $0.name == "link" }?.value)
        let start = "https://app.example/\(page)?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    private func cancel(
        _ caller: DeletionCall.Token, key: String? = nil
    ) async throws -> Bool {
        try await fixture.cancelDeletion(caller, key: key)
    }

    @Test("by a session, once; the owner is mailed, and the account stays for ever")
    func bySession() async throws {
        try await wait()
        #expect(fixture.templates.filter { $0 == "deletion-scheduled" }.count == 1)
        fixture.time.advance(by: .seconds(3_600))
        #expect(try await cancel(IdentityFixture.caller(token), key: "k"))
        #expect(try await cancel(IdentityFixture.caller(token), key: "k"))
        #expect(try await !cancel(IdentityFixture.caller(token)))
        try await fixture.relay()
        #expect(fixture.templates.last == "deletion-cancelled")
        #expect(try await fixture.audited("account.deletion-cancelled") == 1)
        fixture.time.advance(by: .seconds(8 * 24 * 3_600))
        await fixture.performDeletion(of: ada)
        _ = try await fixture.signIn()
    }

    @Test("by the mailed link, without a session, until the deletion begins")
    func byLink() async throws {
        try await wait()
        let keep = IdentityFixture.caller(
            link: try link("deletion-scheduled", page: "keep-account"))
        #expect(try await cancel(keep, key: "k"))
        #expect(try await cancel(keep, key: "k"))
        #expect(try await refusal { try await cancel(keep) }.code == .invalidLink)
        try await wait()
        let second = IdentityFixture.caller(
            link: try link("deletion-scheduled", page: "keep-account"))
        try await fixture.requestDeletion(IdentityFixture.caller(token))
        #expect(try await refusal { try await cancel(second) }.code == .invalidLink)
        let malformed = IdentityFixture.caller(link: "x")
        #expect(try await refusal { try await cancel(malformed) }.code == .invalidLink)
    }

    @Test("a change of the address voids the mailed link, and another is mailed to the new address")
    func changedAddress() async throws {
        try await wait()
        let former = IdentityFixture.caller(
            link: try link("deletion-scheduled", page: "keep-account"))
        _ = try await fixture.requestChange("new@example.org", token)
        try await fixture.relay()
        _ = try await fixture.confirmChange(try fixture.changeToken(), access: token)
        #expect(try await refusal { try await cancel(former) }.code == .invalidLink)
        await fixture.performDeletion(of: ada)
        try await fixture.relay()
        // The mails about the change wait beside it, and are delivered in any order.
        let mail = fixture.notifications.mails.last { $0.template == "deletion-scheduled" }
        #expect(mail?.recipient == "new@example.org")
        #expect(
            try await cancel(
                IdentityFixture.caller(
                    link: try link("deletion-scheduled", page: "keep-account"))))
    }

    @Test("the mail is sent once; to an address that is not verified, without the link")
    func mails() async throws {
        try await wait()
        await fixture.performDeletion(of: ada)
        try await fixture.relay()
        #expect(fixture.templates.filter { $0 == "deletion-scheduled" }.count == 1)
        let eve = try #require(try await fixture.register("eve@example.org").account)
        let id = try #require(AccountID(text: eve.accountId))
        try await fixture.requestDeletion(
            IdentityFixture.caller(fixture.devices.open(eve.accountId)), wait: true)
        await fixture.performDeletion(of: id)
        try await fixture.relay()
        let mails = fixture.notifications.mails.filter { $0.template == "deletion-scheduled" }
        #expect(mails.map(\.recipient) == ["ada@example.org", "eve@example.org"])
        #expect(mails.last?.variables.first { $0.name == "link" }?.value == "")
        let deletion = try #require(try await fixture.deletion(of: id))
        #expect(deletion.step == nil && deletion.keepLink == nil)
    }

    @Test("an owner who could not be told, since it was requested too often, is told an hour later")
    func withheld() async throws {
        func told() -> Int { fixture.templates.filter { $0 == "deletion-scheduled" }.count }
        for _ in 0..<NoticeRule.noticesMax {
            try await wait()
            #expect(try await cancel(IdentityFixture.caller(token)))
        }
        try await wait()
        #expect(told() == NoticeRule.noticesMax)
        fixture.time.advance(by: NoticeRule.window)
        await fixture.performDeletion(of: ada)
        try await fixture.relay()
        #expect(told() == NoticeRule.noticesMax + 1)
        #expect(try await fixture.deletion(of: ada)?.keepLink != nil)
    }

    private func requestLink(
        _ email: String = "ada@example.org"
    ) async throws -> IdentityV1.RequestDeletionLinkResponse {
        let answer = try await fixture.deletions.requestDeletionLink(
            .init(email: email), fixture.context())
        try await fixture.relay()
        return answer
    }

    @Test("a link that has begun a deletion begins no other after the owner has cancelled it")
    func usedLink() async throws {
        _ = try await requestLink()
        let caller = IdentityFixture.caller(
            link: try link("deletion-link", page: "delete-account"))
        #expect(try await fixture.requestDeletion(caller, wait: true).state == .waiting)
        #expect(try await cancel(IdentityFixture.caller(token)))
        #expect(try await refusal { try await fixture.confirm(caller) }.code == .invalidLink)
        _ = try await requestLink()
        let next = IdentityFixture.caller(link: try link("deletion-link", page: "delete-account"))
        #expect(try await fixture.requestDeletion(next).state == .deleting)
    }

    @Test("X-02: a link is mailed to an address with an account only, and the answer is the same")
    func mailedLink() async throws {
        let before = fixture.templates.count
        #expect(try await requestLink("nobody@example.org") == requestLink())
        #expect(Array(fixture.templates.dropFirst(before)) == ["deletion-link"])
        let caller = IdentityFixture.caller(
            link: try link("deletion-link", page: "delete-account"))
        let other = IdentityFixture.caller(token)
        let confirmation = try await fixture.confirm(caller)
        let crossed = try await refusal {
            try await fixture.requestDeletion(confirmation, by: other)
        }
        #expect(crossed.code == .invalidConfirmation)
        #expect(try await fixture.requestDeletion(caller).state == .deleting)
        let error = try await refusal { try await fixture.requestDeletion(caller) }
        #expect([.accountDisabled, .invalidLink].contains(error.code))
    }

    @Test("a link to delete the account works for an hour, and not as a link of another purpose")
    func linkLife() async throws {
        _ = try await fixture.deletions.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let text = try link("deletion-link", page: "delete-account")
        let caller = IdentityFixture.caller(link: text)
        #expect(try await refusal { try await cancel(caller) }.code == .invalidLink)
        fixture.time.advance(by: .seconds(3_600) - .milliseconds(1))
        let confirmation = try await fixture.confirm(caller)
        fixture.time.advance(by: .milliseconds(1))
        let late = try await refusal {
            try await fixture.requestDeletion(confirmation, by: caller)
        }
        #expect(late.code == .invalidLink)
    }

    @Test("G-02: an account that waits for its verification can be deleted by a mailed link")
    func pending() async throws {
        let fixture = try IdentityFixture(verification: .required)
        let account = try #require(try await fixture.register().account)
        _ = try await fixture.deletions.requestDeletionLink(
            .init(email: "ada@example.org"), fixture.context())
        try await fixture.relay()
        let mail = try #require(fixture.notifications.mails.last { $0.template == "deletion-link" })
        let link = try #require(mail.variables.first { $0.name == "link" }?.value)
        let text = try #require(link.split(separator: "=").last.map(String.init))
        try await fixture.requestDeletion(IdentityFixture.caller(link: text))
        let id = try #require(AccountID(text: account.accountId))
        await fixture.performDeletion(of: id)
        #expect(try await !fixture.exists(id))
    }

    @Test("X-04: a takeover ends the deletion that the former holder has requested")
    func takenOver() async throws {
        let eve = try #require(try await fixture.register("eve@example.org").account)
        let id = try #require(AccountID(text: eve.accountId))
        try await fixture.requestDeletion(
            IdentityFixture.caller(fixture.devices.open(eve.accountId)), wait: true)
        let owner = try await fixture.account(by: .token("g7", email: "eve@example.org"))
        #expect(owner.accountId == eve.accountId)
        #expect(try await fixture.deletion(of: id) == nil)
        #expect(try await fixture.audited("account.deletion-cancelled") == 1)
    }

    @Test("X-04: a guest's deletion ends when it becomes an account, by password or provider")
    func upgraded() async throws {
        let fixture = fixture
        let upgrades: [(String) async throws -> Void] = [
            { guest in
                _ = try await fixture.accounts.register(
                    .init(
                        signUp: .init(
                            email: "eve@example.org", password: "Correct7Horse",
                            device: IdentityFixture.device, mailLanguage: "en")),
                    fixture.relayed(guest))
            },
            { guest in _ = try await fixture.signIn(by: .token("g8"), guest: guest) },
        ]
        var cancelled: Int64 = 0
        for upgrade in upgrades {
            let (text, token) = try await fixture.guest()
            let guest = try #require(AccountID(text: text))
            try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
            #expect(try await fixture.deletion(of: guest) != nil)
            try await upgrade(token)
            cancelled += 1
            #expect(try await fixture.deletion(of: guest) == nil)
            #expect(try await fixture.audited("account.deletion-cancelled") == cancelled)
            fixture.time.advance(by: .seconds(8 * 24 * 3_600))
            await fixture.performDeletion(of: guest)
            #expect(try await fixture.exists(guest))
        }
    }

    @Test("G-02: with strict enumeration it ends at the sign-up, and again when that is confirmed")
    func claimed() async throws {
        let fixture = try IdentityFixture(enumeration: .strict)
        let (text, token) = try await fixture.guest()
        let guest = try #require(AccountID(text: text))
        try await fixture.requestDeletion(IdentityFixture.caller(token), wait: true)
        _ = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "eve@example.org", password: "Correct7Horse",
                    device: IdentityFixture.device)), fixture.relayed(token))
        #expect(try await fixture.deletion(of: guest) == nil)
        fixture.time.advance(by: .seconds(1))
        let again = fixture.devices.open(text, amr: Authentication.guest.amr)
        try await fixture.requestDeletion(IdentityFixture.caller(again), wait: true)
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()), fixture.relayed(again))
        #expect(try await fixture.deletion(of: guest) == nil)
        #expect(try await fixture.audited("account.deletion-cancelled") == 2)
    }

    @Test("G-11: a password reset ends it, since a reader of the mailbox may have requested it")
    func reset() async throws {
        try await wait()
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: "ada@example.org", device: IdentityFixture.device), fixture.context())
        try await fixture.relay()
        _ = try await fixture.credentials.resetPassword(
            .init(
                token: try fixture.latestToken("reset-password"),
                password: .init(text: "Owner8Password"), device: IdentityFixture.device),
            fixture.context())
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(try await fixture.audited("account.deletion-cancelled") == 1)
        try await fixture.relay()
        #expect(fixture.templates.contains("deletion-cancelled"))
    }

    @Test("a late repeat of the request does not undo the cancel")
    func lateRepeat() async throws {
        let caller = IdentityFixture.caller(token)
        let confirmation = try await fixture.confirm(caller)
        func request() async throws -> GatewayV1.Deletion? {
            try await fixture.requestDeletion(confirmation, by: caller, wait: true)
        }
        let first = try await request()
        #expect(first?.state == .waiting)
        #expect(try await request() == first)
        #expect(try await cancel(caller))
        #expect(try await refusal { try await request() }.code == .invalidConfirmation)
        #expect(try await fixture.deletion(of: ada) == nil)
        #expect(try await fixture.requestDeletion(caller, wait: true).state == .waiting)
    }
}
