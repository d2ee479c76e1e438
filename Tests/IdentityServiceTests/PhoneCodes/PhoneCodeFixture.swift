import Addresses
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

/// Phone codes over a real store, with the calls that tests make.
struct PhoneCodeFixture {
    static let number = "+4915112345678"

    let identity: IdentityFixture
    let phones: PhoneCodesHandler
    let signals: PhoneSignalsHandler

    init(_ phone: PhoneSettings = PhoneSettings(countries: ["all"])) throws {
        self.init(try IdentityFixture(phone: phone))
    }

    init(_ identity: IdentityFixture) {
        self.identity = identity
        phones = identity.service.phoneCodes
        signals = identity.service.phoneSignals
    }

    /// Requests a code.
    func request(
        _ number: String = Self.number, _ purpose: IdentityV1.PhoneCodePurpose = .signIn,
        accessToken: String = "", language: String = "", key: String? = nil
    ) async throws -> IdentityV1.RequestCodeResponse {
        try await phones.requestCode(
            .init(
                phoneNumber: number, purpose: purpose, language: language,
                origin: IdentityFixture.origin, accessToken: accessToken), identity.context(key))
    }

    /// Requests a code, and reads it from the text message.
    func sent(
        _ number: String = Self.number, _ purpose: IdentityV1.PhoneCodePurpose = .signIn,
        accessToken: String = ""
    ) async throws -> SentCode {
        let answer = try await request(number, purpose, accessToken: accessToken)
        try await identity.relay()
        let text = try #require(identity.texts.texts.last)
        return SentCode(
            request: answer.requestId,
            code: try #require(text.variables.first { $0.name == "code" }?.value))
    }

    func signIn(
        _ sent: SentCode, _ number: String = Self.number, guest: String = "", key: String? = nil
    ) async throws -> IdentityV1.AdmissionResponse {
        try await phones.signInWithCode(
            .init(
                requestId: sent.request, phoneNumber: number, code: sent.code,
                guestAccessToken: guest, origin: IdentityFixture.origin), identity.context(key))
    }

    /// An account that signs in with the number.
    func account(_ number: String = Self.number) async throws -> GatewayV1.Account {
        try #require(try await signIn(try await sent(number), number).account)
    }

    func prove(
        _ sent: SentCode, _ accessToken: String, _ number: String = Self.number,
        key: String? = nil
    ) async throws -> IdentityV1.SignInProof {
        let answer = try await phones.proveByCode(
            .init(
                accessToken: accessToken, requestId: sent.request, phoneNumber: number,
                code: sent.code, origin: IdentityFixture.origin), identity.context(key))
        return try #require(answer.proof)
    }

    func link(
        _ sent: SentCode, _ accessToken: String, _ number: String = Self.number,
        key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await phones.linkPhone(
            .init(
                accessToken: accessToken, requestId: sent.request, phoneNumber: number,
                code: sent.code, origin: IdentityFixture.origin), identity.context(key))
        return try #require(answer.account)
    }

    /// Reports that the number has changed hands, as the notification service does.
    func change(_ number: String = Self.number) async throws {
        _ = try await signals.numberChanged(
            .init(phoneNumber: number, toldAtMs: identity.time.now().milliseconds),
            identity.context())
    }

    /// The kinds of the audit events, in order.
    func audit() async throws -> [String] {
        try await identity.store.read { session in
            try session.query("SELECT kind FROM audit ORDER BY rowid", []) { try $0.text(0) }
        }
    }
}

/// A request, and the code that was sent for it.
struct SentCode: Sendable {
    let request: String
    var code: String

    /// The same request with a wrong code.
    var wrong: SentCode { with(code == "000000" ? "000001" : "000000") }

    func with(_ code: String) -> SentCode { SentCode(request: request, code: code) }
}
