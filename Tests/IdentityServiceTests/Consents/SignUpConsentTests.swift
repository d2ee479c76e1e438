import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-23: consent at each way to sign up", .timeLimit(.minutes(1)))
struct SignUpConsentTests {
    private static func isRefused(_ body: () async throws -> Any) async throws {
        let error = try await refusal(body)
        #expect(error.code == .consentRequired && error.fields == ["acceptance"])
    }

    @Test("asked: the account is created, and has the required action until it accepts")
    func asked() async throws {
        let fixture = try IdentityFixture(consent: .first(.asked))
        let ada = try await fixture.register(accepting: nil)
        #expect(ada.requiredActions == [.acceptTerms, .verifyEmail])
        #expect(try await fixture.count("consents") == 0)
        #expect(try await fixture.signIn().requiredActions.first == .acceptTerms)
        let token = fixture.devices.open(ada.account.accountId)
        try await fixture.accept(token)
        #expect(try await !fixture.isAsked(ada.account.accountId))
        let eve = try await fixture.register("eve@example.org", accepting: .first)
        #expect(eve.requiredActions == [.verifyEmail])
        let stale = try await fixture.register(
            "bob@example.org",
            accepting: .init(termsVersion: "t0", privacyVersion: "p1", marketing: true))
        #expect(stale.requiredActions.first == .acceptTerms)
        #expect(try await fixture.count("consents", where: "kind = 3") == 1)
    }

    @Test(
        "required: a password's sign-up without the current versions is refused, nothing is written",
        arguments: [IdentitySettings.EnumerationMode.friendly, .strict])
    func password(enumeration: IdentitySettings.EnumerationMode) async throws {
        let fixture = try IdentityFixture(enumeration: enumeration, consent: .first(.required))
        let wrong: [GatewayV1.Acceptance?] = [
            nil, .init(), .init(termsVersion: "t1"), .init(privacyVersion: "p1"),
            .init(termsVersion: "t0", privacyVersion: "p1"),
            .init(marketing: true, analytics: true),
        ]
        let hashes = fixture.hashes
        for acceptance in wrong {
            try await Self.isRefused { try await fixture.register(accepting: acceptance, key: "k") }
        }
        #expect(try await fixture.count("accounts") == 0)
        #expect(fixture.hashes == hashes, "no password was hashed")
        let ada = try await fixture.register(accepting: .first, key: "k")
        #expect(!ada.requiredActions.contains(.acceptTerms))
        #expect(try await fixture.count("consents", where: "source = 'sign-up'") == 2)
        #expect(try await fixture.audited("consent.given") == 2)
        let again = try await fixture.register(accepting: .first, key: "k")
        #expect(again.account.accountId == ada.account.accountId)
        #expect(try await fixture.count("consents") == 2)
    }

    @Test("G-25: a repeat gets the first answer; the same key with another consent is refused")
    func repeats() async throws {
        let first = try IdentityFixture(consent: .first(.required))
        let ada = try await first.register(accepting: .first, key: "k")
        var other = GatewayV1.Acceptance.first
        other.marketing = true
        let error = try await refusal { try await first.register(accepting: other, key: "k") }
        #expect(error.code == .idempotencyKeyReused)
        let again = try await first.register(accepting: .first, key: "k")
        #expect(again.account.accountId == ada.account.accountId)
    }

    @Test("required: a provider's sign-up is refused before the nonce is used up")
    func provider() async throws {
        let fixture = try IdentityFixture(consent: .first(.required))
        let token = GatewayV1.ProviderToken.token("g1", email: "ada@example.org", nonce: "n1")
        func signIn(
            _ acceptance: GatewayV1.Acceptance?
        ) async throws -> IdentityV1.AdmissionResponse {
            try await fixture.identities.signInWithProvider(
                .init(token: token, device: IdentityFixture.device, acceptance: acceptance),
                fixture.context("k"))
        }
        try await Self.isRefused { try await signIn(nil) }
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.count("used_nonces") == 0)
        let ada = try await signIn(.first)
        #expect(ada.account != nil && ada.requiredActions == [])
        #expect(try await fixture.count("consents") == 2)
        let known = GatewayV1.ProviderToken.token("g1", email: "ada@example.org", nonce: "n2")
        let again = try await fixture.signIn(by: known)
        #expect(
            again.account?.accountId == ada.account?.accountId, "a known identity just signs in")
    }

    @Test("required: a sign-up by a code is refused, and the code stays valid")
    func phone() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture(consent: .first(.required)))
        let sent = try await fixture.sent()
        try await Self.isRefused { try await fixture.signIn(sent) }
        #expect(try await fixture.identity.count("accounts") == 0)
        let ada = try await fixture.phones.signInWithCode(
            .init(
                requestId: sent.request, phoneNumber: PhoneCodeFixture.number, code: sent.code,
                device: IdentityFixture.device, acceptance: .first), fixture.identity.context())
        #expect(ada.isNewUser && ada.requiredActions == [])
        #expect(try await !fixture.signIn(fixture.sent()).isNewUser)
    }

    @Test("required: guests are created without, and asked at the upgrade; what they gave counts")
    func guests() async throws {
        let fixture = try IdentityFixture(consent: .first(.required))
        let (account, token) = try await fixture.guest()
        #expect(try await !fixture.isAsked(account))
        try await Self.isRefused {
            try await fixture.register(accepting: nil, guest: token)
        }
        try await Self.isRefused { try await fixture.signIn(by: .token("g1"), guest: token) }
        try await fixture.accept(token)
        let upgraded = try await fixture.register(accepting: nil, guest: token)
        #expect(upgraded.account.accountId == account && upgraded.requiredActions == [.verifyEmail])

        let (second, other) = try await fixture.guest()
        let answer = try await fixture.identities.signInWithProvider(
            .init(token: .token("g2"), device: IdentityFixture.device, acceptance: .first),
            fixture.relayed(other))
        #expect(answer.account?.accountId == second && answer.isUpgraded)
        #expect(try await !fixture.isAsked(second))
    }

    @Test("X-04: the owner of an address who takes an account over is asked for the own consent")
    func takeover() async throws {
        let fixture = try IdentityFixture(consent: .first(.asked))
        var agreed = GatewayV1.Acceptance.first
        agreed.marketing = true
        let stranger = try await fixture.register(accepting: agreed)
        let answer = try await fixture.signIn(by: .token("g1", email: "ada@example.org"))
        let owner = try #require(answer.account)
        #expect(owner.accountId == stranger.account.accountId)
        #expect(answer.requiredActions == [.acceptTerms])
        let given = try await fixture.given(fixture.devices.open(owner.accountId))
        #expect(given.consents.count == 3 && given.consents.allSatisfy { $0.withdrawn != nil })
    }

    @Test("a guest may bring consents along; a sign-in to an account that existed ignores them")
    func brought() async throws {
        let fixture = try IdentityFixture(consent: .first(.asked))
        let guest = try await fixture.identities.signInAsGuest(
            .init(
                device: IdentityFixture.device,
                acceptance: .init(termsVersion: "t1", privacyVersion: "p1", analytics: true)),
            fixture.context())
        let token = fixture.devices.open(try #require(guest.account).accountId)
        #expect(
            try await fixture.given(token).consents.map(\.kind) == [.terms, .privacy, .analytics])

        let ada = try await fixture.signIn(by: .token("g1"))
        _ = try await fixture.identities.signInWithProvider(
            .init(token: .token("g1"), device: IdentityFixture.device, acceptance: .first),
            fixture.context())
        #expect(try await fixture.isAsked(try #require(ada.account).accountId))
    }
}
