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
@testable import PersonalData

@Suite("G-23: the consent of a parent", .timeLimit(.minutes(1)))
struct ParentalConsentTests {
    private static let week = AgeGate.parentLife
    private let fixture: IdentityFixture
    private let child: String
    private let token: String

    init() async throws {
        fixture = try IdentityFixture(
            rules: "collections:\n  orders: {needs: consent}\n", consent: .age(.allowed))
        child = try await fixture.register("kid@example.org", accepting: .eleven).account.accountId
        token = fixture.devices.open(child)
    }

    /// Asks a parent, after the child has entered the password again.
    private func ask(
        _ parent: String = "mum@example.org", language: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.RequestParentalConsentResponse {
        fixture.devices.proveAgain(token, amr: ["pwd"])
        var context = fixture.relayed(token, key)
        context.metadata[Metadata.Key.acceptLanguage] = language
        return try await fixture.consents.requestParentalConsent(
            .init(parentEmail: parent), context)
    }

    private func answer(
        _ link: String, _ answer: GatewayV1.ParentalAnswer
    ) async throws -> GatewayV1.AnswerParentalConsentResponse {
        try await fixture.consents.answerParentalConsent(
            .init(token: .init(link), answer: answer), fixture.relayed(nil))
    }

    private var mails: [NotificationV1.SendEmailRequest] {
        fixture.notifications.mails.filter { $0.template == "parental-consent" }
    }

    /// The token of the latest link.
    private func link() async throws -> String {
        try await fixture.relay()
        let link = try #require(mails.last?.variables.first { $0.name == "link" }).value
        let start = "https://app.example/parent?token="
        try #require(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    private func state() async throws -> GatewayV1.ParentalConsentState {
        try await fixture.given(token).parentalConsent
    }

    private func actions() async throws -> [GatewayV1.RequiredAction] {
        try await fixture.accounts.getAccount(
            .init(accountId: child), fixture.context()
        ).requiredActions
    }

    private func write() async throws {
        _ = try await fixture.service.data.documents.writeDocuments(
            .init(writes: [.make("orders", "main", "{}")]), fixture.relayed(token))
    }

    private var deletions: Int64 {
        get async throws {
            try await fixture.count("deletions", where: "source = 'parent'")
        }
    }

    private func expire() async throws -> Bool {
        try await ParentalConsentExpiry(
            store: fixture.store, time: fixture.time, deletions: fixture.writer.deletions
        ).step()
    }

    @Test("a child's account has a required action until a parent consents; then all goes on")
    func given() async throws {
        #expect(try await actions() == [.parentalConsent, .verifyEmail])
        #expect(try await state() == .needed)
        #expect(try await refusal { try await write() }.code == .parentalConsentRequired)
        let asked = try await ask(language: "de-AT,en;q=0.5")
        #expect(asked.state == .requested)
        let due = fixture.time.now() + Self.week
        #expect(asked.expiresAtMs == due.milliseconds)
        let link = try await link()
        let mail = try #require(mails.last)
        #expect(mail.recipient == "mum@example.org" && mail.language == "de")
        #expect(mail.variables.map(\.name) == ["link", "time"])
        #expect(try await state() == .requested)

        let shown = try await answer(link, .unspecified)
        #expect(shown.state == .requested && shown.childName == "")
        #expect(shown.deletionAtMs == due.milliseconds)
        #expect(try await state() == .requested, "a scanner that opens the link gives nothing")
        #expect(try await answer(link, .give).state == .given)
        #expect(try await answer(link, .give).state == .given)
        #expect(try await actions() == [.verifyEmail])
        try await write()
        #expect(try await fixture.audited("consent.parent-asked") == 1)
        #expect(try await fixture.audited("consent.parent-given") == 1)

        fixture.time.advance(by: Self.week * 10)
        #expect(try await !expire())
        #expect(try await deletions == 0)
        #expect(try await refusal { try await ask() }.code == .operationNotAllowed)
    }

    @Test("a refusal begins the deletion at once, and counts once")
    func refused() async throws {
        _ = try await ask()
        let link = try await link()
        let refused = try await answer(link, .refuse)
        #expect(refused.state == .refused && refused.deletionAtMs == 0, "it has begun")
        #expect(try await deletions == 1)
        #expect(try await fixture.count("accounts", where: "status = 4") == 1)
        #expect(try await answer(link, .give).state == .refused, "the first answer counts")
        #expect(try await answer(link, .refuse).state == .refused)
        #expect(try await answer(link, .unspecified).state == .refused)
        #expect(try await fixture.audited("consent.parent-refused") == 1)
        #expect(try await refusal { try await ask() }.code == .accountDisabled)
    }

    @Test("without an answer the deletion begins after seven days, from the first request on")
    func expired() async throws {
        fixture.time.advance(by: .seconds(5 * 86_400))
        let asked = try await ask()
        let link = try await link()
        fixture.time.advance(by: Self.week - .milliseconds(1))
        #expect(try await !expire())
        #expect(try await deletions == 0)
        let later = try await ask("dad@example.org")
        #expect(later.expiresAtMs == asked.expiresAtMs, "a child cannot wait for ever")
        #expect(try await refusal { try await answer(link, .give) }.code == .invalidLink)
        let second = try await self.link()
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await refusal { try await answer(second, .give) }.code == .invalidLink)
        #expect(try await refusal { try await ask() }.code == .operationNotAllowed)
        #expect(try await !expire())
        #expect(try await deletions == 1)
        #expect(try await fixture.count("parental_consents", where: "state = 4") == 1)
        #expect(try await fixture.audited("consent.parent-refused") == 0)
    }

    @Test("an account that asked no parent is deleted seven days after the sign-up")
    func neverAsked() async throws {
        fixture.time.advance(by: Self.week - .milliseconds(1))
        _ = try await expire()
        #expect(try await deletions == 0)
        fixture.time.advance(by: .milliseconds(1))
        _ = try await expire()
        #expect(try await deletions == 1)
    }

    @Test("a repeat to the same address within an hour sends nothing; another address replaces it")
    func repeated() async throws {
        _ = try await ask()
        let first = try await link()
        fixture.time.advance(by: .seconds(3_599))
        _ = try await ask("MUM@example.org")
        try await fixture.relay()
        #expect(mails.count == 1)
        fixture.time.advance(by: .seconds(1))
        _ = try await ask()
        let second = try await link()
        #expect(mails.count == 2 && second != first)
        #expect(try await refusal { try await answer(first, .give) }.code == .invalidLink)
        _ = try await ask("dad@example.org")
        let third = try await link()
        #expect(mails.map(\.recipient).last == "dad@example.org")
        #expect(try await refusal { try await answer(second, .give) }.code == .invalidLink)
        #expect(try await answer(third, .give).state == .given)
    }

    @Test("G-25: a repeat under a key sends one mail; the key for another address is refused")
    func idempotent() async throws {
        let first = try await ask(key: "k")
        fixture.time.advance(by: .seconds(7_200))
        #expect(try await ask(key: "k") == first)
        try await fixture.relay()
        #expect(mails.count == 1)
        let other = try await refusal { try await ask("dad@example.org", key: "k") }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test(
        "a child does not answer as the parent: the address must not be the account's",
        arguments: ["kid@example.org", "KID@EXAMPLE.ORG", "kid+mum@example.org", "no address", ""])
    func ownAddress(parent: String) async throws {
        let error = try await refusal { try await ask(parent) }
        #expect(error.code == .invalidEmail && error.fields == ["parent_email"])
        try await fixture.relay()
        #expect(mails.isEmpty)
        #expect(try await state() == .needed)
    }

    @Test("neither the response nor the store has the link or the parent's address in clear")
    func secret() async throws {
        let asked = try await ask()
        let link = try await link()
        #expect(!"\(asked)".contains(link))
        let stored = try await fixture.store.read { session in
            try session.queryOne("SELECT token_hash, parent_email FROM parental_consents") {
                (try $0.blob(0), try $0.blob(1))
            }
        }
        let row = try #require(stored)
        #expect(!Array(link.utf8).isEmpty && row.0 != Array(link.utf8))
        #expect(!String(decoding: row.1, as: UTF8.self).contains("mum"))
        for wrong in ["", "x", String(link.dropLast()), String(repeating: "A", count: 43)] {
            #expect(try await refusal { try await answer(wrong, .give) }.code == .invalidLink)
        }
        let unknown = try await refusal { try await answer(link, .init(rawValue: 9)) }
        #expect(unknown.code == .invalidArgument)
    }

    @Test("an account that needs no consent asks no parent, and a link of another purpose is none")
    func notNeeded() async throws {
        let ada = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "ada@example.org", password: .init(text: "Correct7Horse"),
                    device: IdentityFixture.device("d2"), acceptance: .thirteen)),
            fixture.context())
        let token = fixture.devices.open(try #require(ada.account).accountId)
        #expect(try await fixture.given(token).parentalConsent == .notNeeded)
        let error = try await refusal {
            try await fixture.consents.requestParentalConsent(
                .init(parentEmail: "mum@example.org"), fixture.relayed(token))
        }
        #expect(error.code == .operationNotAllowed)
        try await fixture.relay()
        let verification = try fixture.latestToken()
        #expect(try await refusal { try await answer(verification, .give) }.code == .invalidLink)
    }

    @Test("a second account of the device needs the consent too, whatever date it gives")
    func secondTry() async throws {
        let second = try await fixture.register(
            "kid2@example.org", accepting: .born("1980-01-01"))
        #expect(second.requiredActions.first == .parentalConsent)
    }

    @Test("a claimed sign-up keeps the need; an upgrade by another date does not remove it")
    func strict() async throws {
        let strict = try IdentityFixture(enumeration: .strict, consent: .age(.allowed))
        let guest = try await strict.register("kid@example.org", accepting: .eleven)
        #expect(guest.account.isGuest && guest.requiredActions.contains(.parentalConsent))
        let token = strict.devices.open(guest.account.accountId)
        let own = try await refusal {
            try await strict.consents.requestParentalConsent(
                .init(parentEmail: "kid@example.org"), strict.relayed(token))
        }
        #expect(own.code == .invalidEmail, "the address of the claim is the child's")
        let upgraded = try await strict.identities.signInWithProvider(
            .init(
                token: .token("g1"), device: IdentityFixture.device("d2"), acceptance: .thirteen),
            strict.relayed(token))
        #expect(upgraded.isUpgraded)
        #expect(upgraded.requiredActions == [.parentalConsent])
    }

    @Test("an account asks with a proof of the last five minutes, and in a session that is live")
    func recentProof() async throws {
        func ask() async throws -> GatewayV1.RequestParentalConsentResponse {
            try await fixture.consents.requestParentalConsent(
                .init(parentEmail: "thief@example.org"), fixture.relayed(token))
        }
        fixture.time.advance(by: .seconds(300))
        let old = try await refusal { try await ask() }
        #expect(old.code == .requiresRecentLogin && old.acceptableProofs == ["password"])
        fixture.devices.proveAgain(token, amr: ["pwd"])
        let (store, outbox) = (fixture.store, fixture.outbox)
        let id = try #require(AccountID(text: child))
        fixture.devices.onceAsked {
            try await store.write(about: [.account(id)]) {
                try $0.endSessions(of: id, provedUntil: $0.at, outbox)
            }
        }
        #expect(try await refusal { try await ask() }.code == .sessionEnded)
        try await fixture.relay()
        #expect(mails.isEmpty)
        #expect(try await fixture.count("parental_consents", where: "state = 1") == 1)
    }

    @Test("G-21: it is part of the export, and ends with the account")
    func data() async throws {
        _ = try await ask()
        var text = ""
        for try await item in fixture.service.life.accountData.collectAccountData(
            .init(subject: .init(accountId: child)), fixture.context(application: "identity"))
        {
            if case .data(let bytes) = item.part { text += String(decoding: bytes, as: UTF8.self) }
        }
        #expect(text.contains(#""consent":"parent""#), "\(text)")
        #expect(text.contains(#""parent_email":"mum@example.org""#), "\(text)")
        let id = try #require(AccountID(text: child))
        _ = try await fixture.store.write(about: [.account(id)]) {
            try $0.apply(.beginDeletion, id)
        }
        _ = try await fixture.service.life.accountData.forgetAccountData(
            .init(subject: .init(accountId: child)), fixture.context(application: "identity"))
        #expect(try await fixture.count("parental_consents") == 0)
    }

    @Test("O-01: in a restored copy a parent is asked again, and a given consent stays")
    func restored() async throws {
        _ = try await ask()
        let link = try await link()
        let folder = try TemporaryFolder()
        try await fixture.store.backup(to: folder.file("identity.sqlite"))
        fixture.time.advance(by: Self.week * 2)
        let copy = try IdentityFixture(
            folder: folder, time: fixture.time, seed: 2, consent: .age(.allowed))
        try await IdentityRestore.settle(copy.store)
        let expiry = ParentalConsentExpiry(
            store: copy.store, time: copy.time, deletions: copy.writer.deletions)
        _ = try await expiry.step()
        #expect(try await copy.count("deletions") == 0)
        #expect(try await copy.count("parental_consents", where: "state = 1") == 1)
        let old = try await refusal {
            try await copy.consents.answerParentalConsent(
                .init(token: .init(link), answer: .give), copy.relayed(nil))
        }
        #expect(old.code == .invalidLink)
    }
}
