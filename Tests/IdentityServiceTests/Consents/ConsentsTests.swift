import Contracts
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

@Suite("G-23: consents and privacy settings", .timeLimit(.minutes(1)))
struct ConsentsTests {
    let fixture: IdentityFixture
    let account: String
    let token: String

    init() async throws {
        fixture = try IdentityFixture(consent: .first(.required))
        account = try await fixture.register(accepting: .first).account.accountId
        token = fixture.devices.open(account)
    }

    private func privacy() async throws -> GatewayV1.PrivacySettings? {
        try await fixture.consents.getPrivacy(.init(), fixture.relayed(token)).privacy
    }

    /// With the sentence about processing, which is no choice.
    private static func privacy(
        marketing: Bool = false, analytics: Bool = false
    ) -> GatewayV1.PrivacySettings {
        .init(
            marketing: marketing, analytics: analytics, processing: true,
            processingSentence: "Your data is processed so that your account works. "
                + "This ends when you delete your account.")
    }

    @Test("D2: processing lasts as long as the account, in a sentence of each language")
    func processing() async throws {
        let sentences = Voice.allCases.map { $0.sentence("privacy/processing") }
        #expect(!sentences.contains("") && Set(sentences).count == Voice.allCases.count)
        for voice in Voice.allCases {
            var context = fixture.relayed(token)
            context.metadata[Metadata.Key.acceptLanguage] = voice.tag
            let privacy = try await fixture.consents.getPrivacy(.init(), context).privacy
            #expect(privacy?.processing == true)
            #expect(privacy?.processingSentence == voice.sentence("privacy/processing"))
        }
    }

    private func set(
        marketing: Bool? = nil, analytics: Bool? = nil
    ) async throws -> GatewayV1.PrivacySettings? {
        try await fixture.consents.setPrivacy(
            .init(
                newMarketing: marketing.map { .marketing($0) },
                newAnalytics: analytics.map { .analytics($0) }), fixture.relayed(token)
        ).privacy
    }

    @Test("what was given is told with version, time and source")
    func told() async throws {
        let answer = try await fixture.given(token)
        #expect(answer.isCurrent && answer.options?.mode == .required)
        #expect(answer.options?.termsVersion == "t1" && answer.options?.privacyVersion == "p1")
        #expect(answer.consents.map(\.kind) == [.terms, .privacy])
        #expect(answer.consents.map(\.version) == ["t1", "p1"])
        let now = fixture.time.now().milliseconds
        #expect(
            answer.consents.allSatisfy {
                $0.givenAtMs == now && $0.withdrawn == nil && $0.source == "sign-up"
            })
    }

    @Test("a withdrawal brings the required action back and deletes nothing; accepting ends it")
    func withdrawal() async throws {
        fixture.time.advance(by: .seconds(60))
        let withdrawnAt = fixture.time.now().milliseconds
        for _ in 0..<2 {
            try await fixture.withdraw(.terms, token)
            #expect(try await fixture.isAsked(account))
            let answer = try await fixture.given(token)
            #expect(
                !answer.isCurrent && answer.consents.first?.withdrawn == .withdrawnAtMs(withdrawnAt)
            )
            fixture.time.advance(by: .seconds(60))
        }
        #expect(try await fixture.audited("consent.withdrawn") == 1)
        #expect(try await fixture.signIn().account?.accountId == account, "sign-ins go on")
        for _ in 0..<2 { try await fixture.accept(token) }
        #expect(try await !fixture.isAsked(account))
        #expect(try await fixture.audited("consent.given") == 3, "the privacy text counted still")
        let terms = try #require(try await fixture.given(token).consents.first)
        #expect(terms.withdrawn == nil && terms.source == "accept-terms")
        let unknown = try await refusal { try await fixture.withdraw(.unspecified, token) }
        #expect(unknown.code == .invalidArgument && unknown.fields == ["kind"])
    }

    @Test("other versions than the current ones cannot be accepted, none where there are none")
    func versions() async throws {
        for (terms, privacy, fields) in [
            ("t0", "p1", ["terms_version"]), ("t1", "", ["privacy_version"]),
            ("t2", "p2", ["terms_version", "privacy_version"]),
        ] {
            let error = try await refusal { try await fixture.accept(token, terms, privacy) }
            #expect(error.code == .consentRequired && error.fields == fields)
        }
        let off = try IdentityFixture()
        let bob = off.devices.open(try await off.register(accepting: nil).account.accountId)
        let error = try await refusal { try await off.accept(bob, "", "") }
        #expect(error.code == .operationNotAllowed)
        #expect(try await off.given(bob).options?.mode == .off)
    }

    @Test("privacy settings are off until they are given, one by one")
    func settings() async throws {
        #expect(try await privacy() == Self.privacy())
        #expect(try await set() == Self.privacy())
        #expect(try await set(marketing: true) == Self.privacy(marketing: true))
        #expect(try await set(marketing: true) == Self.privacy(marketing: true))
        #expect(try await set(analytics: true) == Self.privacy(marketing: true, analytics: true))
        #expect(try await fixture.audited("consent.privacy-changed") == 2)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'consent.privacy-changed' AND attempt = 3") == 1)
        #expect(try await set(marketing: false) == Self.privacy(analytics: true))
        try await fixture.withdraw(.analytics, token)
        #expect(try await privacy() == Self.privacy())
        let given = try await fixture.given(token).consents
        #expect(given.map(\.kind) == [.terms, .privacy, .marketing, .analytics])
        #expect(given.map { $0.withdrawn != nil } == [false, false, true, true])
        let listed = try await fixture.admin(NoActivity()).listAccounts(
            .init(), fixture.context(application: "tool"))
        #expect(listed.accounts.map(\.privacy) == [.init(processing: true)])
    }

    @Test("only the owner of a live session of a usable account may")
    func callers() async throws {
        let unknown = try await refusal { try await fixture.given("access-token-99") }
        #expect(unknown.code == .invalidAccessToken)
        try await fixture.change("UPDATE accounts SET status = 2")
        let disabled = try await refusal { try await fixture.accept(token) }
        #expect(disabled.code == .accountDisabled)
        #expect(try await refusal { try await set(marketing: true) }.code == .accountDisabled)
    }

    @Test("a new version asks again, and refuses no account that exists")
    func newVersion() async throws {
        let next = try IdentityFixture(
            consent: ConsentSettings(
                mode: .required, versions: ConsentVersions(terms: "t2", privacy: "p1")))
        let ada = try await next.register(
            accepting: .init(termsVersion: "t2", privacyVersion: "p1")
        ).account.accountId
        // As it would be if t1 had been accepted before the operator named t2.
        try await next.change("UPDATE consents SET version = 't1' WHERE kind = 1")
        #expect(try await next.isAsked(ada))
        let signedIn = try await next.signIn()
        #expect(signedIn.proof != nil && signedIn.requiredActions.first == .acceptTerms)
        try await next.accept(next.devices.open(ada), "t2", "p1")
        #expect(try await !next.isAsked(ada))
    }

    @Test("a collection that needs consent is refused until the current texts are accepted")
    func documents() async throws {
        let fixture = try IdentityFixture(
            rules: "collections:\n  orders: {needs: consent}\n", consent: .first(.asked))
        let ada = try await fixture.register(accepting: nil).account.accountId
        let (_, guest) = try await fixture.guest()
        for token in [fixture.devices.open(ada), guest] {
            func write() async throws {
                _ = try await fixture.service.data.documents.writeDocuments(
                    .init(writes: [.make("orders", "main", "{}")]), fixture.relayed(token))
            }
            #expect(try await refusal { try await write() }.code == .consentRequired)
            try await fixture.accept(token)
            try await write()
            try await fixture.withdraw(.privacy, token)
            #expect(try await refusal { try await write() }.code == .consentRequired)
        }
    }

    @Test("G-21: they are part of the export, and end with the account")
    func data() async throws {
        var text = ""
        for try await item in fixture.service.life.accountData.collectAccountData(
            .init(subject: .init(accountId: account)), fixture.context(application: "identity"))
        {
            if case .data(let bytes) = item.part { text += String(decoding: bytes, as: UTF8.self) }
        }
        #expect(text.contains(#""consent":"terms","version":"t1""#), "\(text)")
        let id = try #require(AccountID(text: account))
        _ = try await fixture.store.write(about: [.account(id)]) {
            try $0.apply(.beginDeletion, id)
        }
        _ = try await fixture.service.life.accountData.forgetAccountData(
            .init(subject: .init(accountId: account)), fixture.context(application: "identity"))
        #expect(try await fixture.count("consents") == 0)
    }
}
