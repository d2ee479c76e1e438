import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

extension ConsentSettings {
    /// Consent to the version 1 of both texts.
    static func first(_ mode: Mode) -> ConsentSettings {
        ConsentSettings(mode: mode, versions: ConsentVersions(terms: "t1", privacy: "p1"))
    }
}

extension GatewayV1.Acceptance {
    /// Accepts the version 1 of both texts.
    static let first = GatewayV1.Acceptance(termsVersion: "t1", privacyVersion: "p1")
}

extension IdentityFixture {
    var consents: ConsentsHandler { service.core.consents }

    /// Registers with what the person has agreed to.
    func register(
        _ email: String = "ada@example.org", accepting acceptance: GatewayV1.Acceptance?,
        guest: String? = nil, key: String? = nil
    ) async throws -> AccountAnswer {
        let answer = try await accounts.register(
            .init(
                signUp: .init(
                    email: email, password: .init(text: "Correct7Horse"), device: Self.device,
                    acceptance: acceptance)), relayed(guest, key))
        return AccountAnswer(
            account: try #require(answer.account), requiredActions: answer.requiredActions)
    }

    /// A device by its id.
    static func device(_ id: String) -> GatewayV1.Device {
        GatewayV1.Device(deviceId: id, platform: "cli")
    }

    /// Asks a parent, and returns the token of the link in the mail.
    func askParent(
        _ token: String, at parent: String = "mum@example.org"
    ) async throws -> String {
        _ = try await consents.requestParentalConsent(
            .init(parentEmail: parent), relayed(token))
        try await relay()
        let mail = try #require(notifications.mails.last { $0.template == "parental-consent" })
        let link = try #require(mail.variables.first { $0.name == "link" }).value
        return String(link.dropFirst("https://app.example/parent?token=".count))
    }

    /// A parent's answer.
    func answerParent(
        _ link: String, _ answer: GatewayV1.ParentalAnswer
    ) async throws -> GatewayV1.ParentalConsentState {
        try await consents.answerParentalConsent(
            .init(token: .init(link), answer: answer), relayed(nil)
        ).state
    }

    /// Begins the deletions whose time has come, and returns how many a lack of consent has begun.
    func expireParents() async throws -> Int64 {
        _ = try await ParentalConsentExpiry(
            store: store, time: time, deletions: writer.deletions
        ).step()
        return try await count("deletions", where: "source = 'parent'")
    }

    /// What an account has agreed to.
    func given(_ token: String) async throws -> GatewayV1.GetConsentsResponse {
        try await consents.getConsents(.init(), relayed(token))
    }

    func accept(_ token: String, _ terms: String = "t1", _ privacy: String = "p1") async throws {
        _ = try await consents.acceptTerms(
            .init(termsVersion: terms, privacyVersion: privacy), relayed(token))
    }

    func withdraw(_ kind: GatewayV1.ConsentKind, _ token: String) async throws {
        _ = try await consents.withdrawConsent(
            .init(kind: kind), relayed(token))
    }

    /// Whether the terms are to be accepted.
    func isAsked(_ account: String) async throws -> Bool {
        try await accounts.getAccount(.init(accountId: account), context())
            .requiredActions.contains(.acceptTerms)
    }
}
