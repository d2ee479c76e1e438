import Addresses
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
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
        phones = identity.service.core.phoneCodes
        signals = identity.service.core.phoneSignals
    }

    /// Requests a code.
    func request(
        _ number: String = Self.number, _ purpose: PhoneCodePurpose = .signIn,
        accessToken: String? = nil, language: String? = nil, key: String? = nil
    ) async throws -> IdentityV1.RequestCodeResponse {
        var context = identity.relayed(accessToken, key)
        context.metadata[Metadata.Key.acceptLanguage] = language
        guard purpose != .signIn else {
            return try await phones.requestSignInCode(
                .init(phoneNumber: number, device: IdentityFixture.device), context)
        }
        return try await phones.requestPhoneCode(
            .init(
                phoneNumber: number, purpose: purpose == .link ? .link : .reauthenticate,
                device: IdentityFixture.device), context)
    }

    /// Requests a code, and reads it from the text message.
    func sent(
        _ number: String = Self.number, _ purpose: PhoneCodePurpose = .signIn,
        accessToken: String? = nil
    ) async throws -> SentCode {
        let answer = try await request(number, purpose, accessToken: accessToken)
        try await identity.relay()
        // Notices go to the number, too.
        let text = try #require(identity.texts.texts.last { $0.template == "phone-code" })
        return SentCode(
            request: answer.requestId,
            code: try #require(text.variables.first { $0.name == "code" }?.value))
    }

    func signIn(
        _ sent: SentCode, _ number: String = Self.number, guest: String? = nil, key: String? = nil
    ) async throws -> IdentityV1.AdmissionResponse {
        try await phones.signInWithCode(
            .init(
                requestId: sent.request, phoneNumber: number, code: sent.code,
                device: IdentityFixture.device), identity.relayed(guest, key))
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
                device: IdentityFixture.device,
                proof: .phoneCode(
                    .init(requestId: sent.request, phoneNumber: number, code: sent.code))),
            identity.relayed(accessToken, key))
        return try #require(answer.proof)
    }

    func link(
        _ sent: SentCode, _ accessToken: String, _ number: String = Self.number,
        key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await phones.linkPhone(
            .init(
                requestId: sent.request, phoneNumber: number, code: sent.code,
                device: IdentityFixture.device), identity.relayed(accessToken, key))
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
        try await identity.store.number(.audit)
        return try await identity.store.read { session in
            try session.query("SELECT kind FROM audit ORDER BY number", []) { try $0.text(0) }
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
