import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite(
    "G-23: a consent that a parent withdraws, or that is needed no more", .timeLimit(.minutes(1)))
struct ParentalWithdrawalTests {
    private static let week = AgeGate.parentLife
    private static let email = "kid@example.org"

    private let fixture: IdentityFixture
    private let child: String
    private let link: String

    /// A child of eleven with a proved address, whose parent has consented.
    init() async throws {
        fixture = try IdentityFixture(consent: .age(.allowed))
        child = try await fixture.register(Self.email, accepting: .eleven).account.accountId
        link = try await fixture.askParent(fixture.devices.open(child))
        try #require(try await fixture.answerParent(link, .give) == .given)
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(to: Self.email)),
            fixture.relayed(fixture.devices.open(child)))
    }

    private func status() async throws -> AccountStatus? {
        let id = try #require(AccountID(text: child))
        return try await fixture.store.read { try $0.standing(id) }?.status
    }

    private func signIn() async throws {
        _ = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: Self.email, password: "Correct7Horse",
                    device: IdentityFixture.device)), fixture.context())
    }

    /// Mails the link that keeps the account, and returns its token.
    private func keepLink() async throws -> String {
        try await fixture.performDeletion(of: #require(AccountID(text: child)))
        try await fixture.relay()
        let mail = try #require(
            fixture.notifications.mails.last { $0.template == "deletion-scheduled" })
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        return String(link.dropFirst("https://app.example/keep-account?token=".count))
    }

    private func keep() async throws {
        #expect(
            try await fixture.cancelDeletion(IdentityFixture.caller(link: try await keepLink())))
    }

    private func ask(_ parent: String) async throws -> GatewayV1.RequestParentalConsentResponse {
        let token = fixture.devices.open(child)
        fixture.devices.proveAgain(token, amr: ["pwd"])
        return try await fixture.consents.requestParentalConsent(
            .init(parentEmail: parent), fixture.relayed(token))
    }

    @Test("a withdrawal suspends at once, also after a reset, and the deletion waits")
    func withdrawn() async throws {
        let reset = try await fixture.resetPassword(of: Self.email, on: "reset-device")
        #expect(reset.requiredActions == [])
        fixture.time.advance(by: Self.week * 20)
        #expect(try await fixture.answerParent(link, .unspecified) == .given)
        #expect(try await fixture.answerParent(link, .refuse) == .refused)
        #expect(try await status() == .suspended)
        #expect(
            try await refusal { try await fixture.resetPassword(of: Self.email, on: "x") }
                .code == .invalidLink)
        #expect(try await fixture.count("deletions", where: "source = 'parent' AND step = 0") == 1)
        #expect(try await fixture.answerParent(link, .give) == .refused, "it is withdrawn")
        #expect(try await fixture.audited("consent.parent-refused") == 1)
        fixture.time.advance(by: Self.week)
        try await fixture.performDeletion(of: #require(AccountID(text: child)))
        let after = try await status()
        #expect(after == nil || after == .deleting)
    }

    @Test("the parent is told when the deletion begins, before the withdrawal and after it")
    func date() async throws {
        func deletionAt(after answer: GatewayV1.ParentalAnswer) async throws -> Int64 {
            try await fixture.consents.answerParentalConsent(
                .init(token: .init(link), answer: answer), fixture.relayed(nil)
            ).deletionAtMs
        }
        let before = fixture.time.now() + Self.week
        #expect(try await deletionAt(after: .unspecified) == before.milliseconds)
        fixture.time.advance(by: .seconds(60))
        let due = fixture.time.now() + Self.week
        #expect(try await deletionAt(after: .refuse) == due.milliseconds)
        fixture.time.advance(by: .seconds(60))
        #expect(try await deletionAt(after: .unspecified) == due.milliseconds)
        #expect(try await fixture.count("deletions", where: "due_at_ms = \(due.milliseconds)") == 1)
    }

    @Test("a stranger in the parent's old mailbox deletes nothing: the owner keeps the account")
    func kept() async throws {
        fixture.time.advance(by: Self.week * 20)
        _ = try await fixture.answerParent(link, .refuse)
        try await keep()
        #expect(try await status() == .active)
        #expect(try await fixture.count("deletions") == 0)
        #expect(try await fixture.count("parental_consents", where: "state = 1") == 1)
        let void = try await refusal { try await fixture.answerParent(link, .refuse) }
        #expect(void.code == .invalidLink, "the old link has ended")
        fixture.time.advance(by: .seconds(60))
        #expect(try await ask("dad@example.org").state == .requested)
    }

    @Test("a child who keeps the account and names no parent is deleted after seven days")
    func keptWithoutParent() async throws {
        _ = try await fixture.answerParent(link, .refuse)
        try await keep()
        fixture.time.advance(by: Self.week - .milliseconds(1))
        #expect(try await fixture.expireParents() == 0)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await fixture.expireParents() == 1)
        #expect(try await status() == .deleting)
    }

    @Test(
        "I-09: an operator's suspension holds the deletion, and its end does not keep the account")
    func suspendedByOperator() async throws {
        let id = try #require(AccountID(text: child))
        _ = try await fixture.service.life.accountAdmin.suspendAccount(
            .init(accountId: child, reason: "spam", actor: "ann"),
            fixture.context(application: "tool"))
        _ = try await fixture.answerParent(link, .refuse)
        fixture.time.advance(by: Self.week * 2)
        await fixture.performDeletion(of: id)
        #expect(try await status() == .suspended)
        _ = try await fixture.service.life.accountAdmin.restoreAccount(
            .init(accountId: child, actor: "ann"), fixture.context(application: "tool"))
        #expect(try await status() == .active, "an operator's restore keeps the account")
        #expect(try await fixture.count("parental_consents", where: "state = 1") == 1)
    }

    @Test("at the least age the need and the link end")
    func ofAge() async throws {
        fixture.time.advance(by: .seconds(366 * 86_400))
        let ended = try await refusal { try await fixture.answerParent(link, .refuse) }
        #expect(ended.code == .invalidLink)
        #expect(try await fixture.expireParents() == 0)
        #expect(try await fixture.count("parental_consents") == 0)
        #expect(try await status() == .active)
        #expect(try await refusal { try await ask("dad@example.org") }.code == .operationNotAllowed)
    }

    @Test("an owner with a proved address names another parent, which ends the old link")
    func replaced() async throws {
        let same = try await refusal { try await ask("mum@example.org") }
        #expect(same.code == .operationNotAllowed)
        let asked = try await ask("dad@example.org")
        #expect(asked.state == .requested)
        #expect(asked.expiresAtMs == (fixture.time.now() + Self.week).milliseconds)
        let void = try await refusal { try await fixture.answerParent(link, .refuse) }
        #expect(void.code == .invalidLink)
    }

    @Test("the least age is reached on the birthday, and in a year without it on the next day")
    func birthday() throws {
        func ofAge(_ birthDate: String, _ today: String) throws -> String? {
            let now = try #require(CalendarDate(text: today))
            let settings = AgeSettings()
            let moment = AgeRule.ofAge(
                settings, birthDate: birthDate,
                Timestamp(milliseconds: now.daysSince1970 * 86_400_000))
            return moment.text.split(separator: "T").first.map(String.init)
        }
        #expect(try ofAge("2015-06-30", "2026-11-28") == "2028-06-30")
        #expect(try ofAge("2016-02-29", "2026-11-28") == "2029-03-01")
        // The device has given a younger date.
        #expect(try ofAge("1980-01-01", "2026-11-28") == "2039-12-08")
        #expect(try ofAge("", "2026-11-28") == "2039-12-08")
    }
}
