import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

extension ConsentSettings {
    /// Consent to the version 1 of both texts.
    static func first(_ mode: Mode) -> ConsentSettings {
        ConsentSettings(mode: mode, versions: ConsentVersions(terms: "t1", privacy: "p1"))
    }
}

extension IdentityV1.Acceptance {
    /// Accepts the version 1 of both texts.
    static let first = IdentityV1.Acceptance(termsVersion: "t1", privacyVersion: "p1")
}

extension IdentityFixture {
    var consents: AccountConsentsHandler { service.consents }

    /// Registers with what the person has agreed to.
    func register(
        _ email: String = "ada@example.org", accepting acceptance: IdentityV1.Acceptance?,
        guest: String = "", key: String? = nil
    ) async throws -> IdentityV1.Account {
        let answer = try await accounts.register(
            .init(
                email: email, password: .init(text: "Correct7Horse"), origin: Self.origin,
                guestAccessToken: guest, acceptance: acceptance), context(key))
        return try #require(answer.account)
    }

    /// What an account has agreed to.
    func given(_ token: String) async throws -> IdentityV1.GetConsentsResponse {
        try await consents.getConsents(.init(accessToken: token), context())
    }

    func accept(_ token: String, _ terms: String = "t1", _ privacy: String = "p1") async throws {
        _ = try await consents.acceptTerms(
            .init(
                accessToken: token, termsVersion: terms, privacyVersion: privacy,
                origin: Self.origin), context())
    }

    func withdraw(_ kind: IdentityV1.ConsentKind, _ token: String) async throws {
        _ = try await consents.withdrawConsent(
            .init(accessToken: token, kind: kind, origin: Self.origin), context())
    }

    /// Whether the terms are to be accepted.
    func isAsked(_ account: String) async throws -> Bool {
        let answer = try await accounts.getAccount(.init(accountId: account), context())
        return try #require(answer.account).requiredActions.contains(.acceptTerms)
    }
}
