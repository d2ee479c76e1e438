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

extension ConsentSettings {
    /// The age gate alone.
    static func age(
        _ parentalConsent: AgeSettings.ParentalConsentMode = .off,
        birthDate: AgeSettings.BirthDateMode = .check
    ) -> ConsentSettings {
        ConsentSettings(
            age: AgeSettings(
                gate: .required, birthDate: birthDate, parentalConsent: parentalConsent))
    }
}

extension GatewayV1.Acceptance {
    /// A birth date alone. The tests begin on 2026-01-01.
    static func born(_ date: String) -> Self { .init(birthDate: .init(date)) }

    /// A person of thirteen years, to the day.
    static let thirteen = born("2013-01-01")
    /// A person who is one day too young.
    static let twelve = born("2013-01-02")
    /// A year and a day before the least age.
    static let eleven = born("2014-01-02")
}

@Suite("G-23: the age gate at each way to sign up", .timeLimit(.minutes(1)))
struct AgeGateTests {
    private static func register(
        _ fixture: IdentityFixture, _ acceptance: GatewayV1.Acceptance?, on device: String = "d1",
        _ email: String = "ada@example.org", guest: String? = nil, key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: email, password: .init(text: "Correct7Horse"),
                    device: IdentityFixture.device(device), acceptance: acceptance)),
            fixture.relayed(guest, key))
        return try #require(answer.account)
    }

    private static func isUnderage(_ body: () async throws -> Any) async throws {
        #expect(try await refusal(body).code == .underageUser)
    }

    @Test(
        "a sign-up by password needs a birth date, and is refused below the least age",
        arguments: [IdentitySettings.EnumerationMode.friendly, .strict])
    func password(enumeration: IdentitySettings.EnumerationMode) async throws {
        let fixture = try IdentityFixture(enumeration: enumeration, consent: .age())
        let missing: [GatewayV1.Acceptance?] = [nil, .init(), .first]
        for acceptance in missing {
            let error = try await refusal { try await Self.register(fixture, acceptance) }
            #expect(error.code == .consentRequired && error.fields == ["acceptance.birth_date"])
            #expect(error.userMessage == "Please enter your date of birth first.")
        }
        for date in ["2026-01-02", "1800-01-01", "2013-02-30", "x"] {
            let error = try await refusal { try await Self.register(fixture, .born(date)) }
            #expect(error.code == .invalidArgument && error.fields == ["acceptance.birth_date"])
            #expect(error.violations.first?.userMessage.contains("2001-12-31") == true)
        }
        #expect(try await fixture.count("underage_devices") == 0)
        let hashes = fixture.hashes
        try await Self.isUnderage { try await Self.register(fixture, .twelve) }
        #expect(fixture.hashes == hashes, "no password was hashed")
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.audited("sign-up.underage-refused") == 1)
        _ = try await Self.register(fixture, .thirteen, on: "d2")
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("profiles", where: "birth_date IS NOT NULL") == 0)
    }

    @Test("with the gate off no birth date is read")
    func off() async throws {
        let fixture = try IdentityFixture()
        _ = try await Self.register(fixture, nil)
        for (index, date) in ["2013-01-02", "2027-01-01", "x"].enumerated() {
            _ = try await Self.register(fixture, .born(date), on: "d1", "e\(index)@example.org")
        }
        #expect(try await fixture.count("underage_devices") == 0)
    }

    @Test("a device that was refused is refused for 24 hours, whatever date it gives")
    func device() async throws {
        let fixture = try IdentityFixture(consent: .age())
        try await Self.isUnderage { try await Self.register(fixture, .twelve) }
        fixture.time.advance(by: .seconds(3_600))
        try await Self.isUnderage { try await Self.register(fixture, .born("1980-01-01")) }
        try await Self.isUnderage {
            try await fixture.identities.signInWithProvider(
                .init(
                    token: .token("g1"), device: IdentityFixture.device("d1"),
                    acceptance: .thirteen), fixture.context())
        }
        _ = try await Self.register(fixture, .thirteen, on: "d2")
        _ = try await Self.register(fixture, .thirteen, on: "", "eve@example.org")
        fixture.time.advance(by: AgeGate.deviceLife - .seconds(3_600))
        try await fixture.purge()
        _ = try await Self.register(fixture, .thirteen, "bob@example.org")
        fixture.time.advance(by: .seconds(1))
        try await fixture.purge()
        #expect(try await fixture.count("underage_devices") == 0)
    }

    @Test("without a device id only the call is refused: others share the address")
    func unnamedDevice() async throws {
        let fixture = try IdentityFixture(consent: .age())
        try await Self.isUnderage { try await Self.register(fixture, .twelve, on: "") }
        #expect(try await fixture.count("underage_devices") == 0)
        _ = try await Self.register(fixture, .thirteen, on: "")
    }

    @Test("G-25: a repeat of a sign-up gets its answer, also after its device was refused")
    func repeats() async throws {
        let fixture = try IdentityFixture(consent: .age())
        let ada = try await Self.register(fixture, .thirteen, key: "k")
        try await Self.isUnderage {
            try await Self.register(fixture, .twelve, on: "d1", "eve@example.org")
        }
        let again = try await Self.register(fixture, .thirteen, key: "k")
        #expect(again.accountId == ada.accountId)
        #expect(try await fixture.audited("sign-up.underage-refused") == 1)
    }

    @Test("a sign-up by a provider is refused, and a sign-in to an account is not asked")
    func provider() async throws {
        let fixture = try IdentityFixture(consent: .age())
        func signIn(
            _ acceptance: GatewayV1.Acceptance?, _ nonce: String, on device: String
        ) async throws -> IdentityV1.AdmissionResponse {
            try await fixture.identities.signInWithProvider(
                .init(
                    token: .token("g1", nonce: nonce), device: IdentityFixture.device(device),
                    acceptance: acceptance), fixture.context())
        }
        let missing = try await refusal { try await signIn(nil, "n1", on: "d1") }
        #expect(missing.code == .consentRequired)
        try await Self.isUnderage { try await signIn(.twelve, "n1", on: "d1") }
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.audited("sign-up.underage-refused") == 1)
        let reused = try await refusal { try await signIn(.thirteen, "n1", on: "d2") }
        #expect(reused.code == .invalidNonce, "the refused sign-in has used it up")
        #expect(try await signIn(.thirteen, "n2", on: "d2").isNewUser)
        #expect(try await !signIn(nil, "n3", on: "d1").isNewUser)
    }

    @Test("a sign-up by a code to a phone is refused")
    func phone() async throws {
        let fixture = PhoneCodeFixture(try IdentityFixture(consent: .age()))
        func signIn(_ acceptance: GatewayV1.Acceptance?) async throws -> Bool {
            let sent = try await fixture.sent()
            return try await fixture.phones.signInWithCode(
                .init(
                    requestId: sent.request, phoneNumber: PhoneCodeFixture.number,
                    code: sent.code, device: IdentityFixture.device("d1"),
                    acceptance: acceptance), fixture.identity.context()
            ).isNewUser
        }
        try await Self.isUnderage { try await signIn(.twelve) }
        #expect(try await fixture.identity.count("accounts") == 0)
        fixture.identity.time.advance(by: AgeGate.deviceLife)
        #expect(try await signIn(.thirteen))
        #expect(try await !signIn(nil), "the account exists")
    }

    @Test("guests are not asked until they become accounts; a refused guest stays a guest")
    func guests() async throws {
        let fixture = try IdentityFixture(consent: .age())
        let (account, token) = try await fixture.guest()
        try await Self.isUnderage {
            try await Self.register(fixture, .twelve, guest: token)
        }
        try await Self.isUnderage {
            try await fixture.identities.signInWithProvider(
                .init(
                    token: .token("g1"), device: IdentityFixture.device("d2"),
                    acceptance: .twelve), fixture.relayed(token))
        }
        #expect(try await fixture.count("accounts", where: "is_guest = 1") == 1)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'sign-up.underage-refused' AND account IS NOT NULL") == 2)
        let upgraded = try await Self.register(fixture, .thirteen, on: "d3", guest: token)
        #expect(upgraded.accountId == account)
    }

    @Test("a birth date is stored only if the operator keeps it, and then sealed and exported")
    func kept() async throws {
        let fixture = try IdentityFixture(consent: .age(birthDate: .keep))
        let ada = try await Self.register(fixture, .thirteen)
        _ = try await fixture.identities.signInWithProvider(
            .init(
                token: .token("g1"), device: IdentityFixture.device("d1"), acceptance: .thirteen),
            fixture.context())
        #expect(try await fixture.count("profiles", where: "birth_date IS NOT NULL") == 2)
        let id = try #require(AccountID(text: ada.accountId))
        let sealed = try await fixture.store.read { try $0.sealedBirthDate(of: id) }
        #expect(sealed.map { String(decoding: $0, as: UTF8.self).contains("2013") } == false)
        var text = ""
        for try await item in fixture.service.life.accountData.collectAccountData(
            .init(subject: .init(accountId: ada.accountId)),
            fixture.context(application: "identity"))
        {
            if case .data(let bytes) = item.part { text += String(decoding: bytes, as: UTF8.self) }
        }
        #expect(text.contains(#""birth_date":"2013-01-01""#), "\(text)")
    }
}
