import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

/// Attack: a stranger signs up with a person's address, and sets up a factor. The owner of the address
/// could never sign in to the account.
@Suite("X-04, F-03: the owner of an address takes no factor over", .timeLimit(.minutes(1)))
struct FactorTakeoverTests {
    /// How the owner of an unverified address takes the account.
    enum Way: CaseIterable, Sendable {
        case provider, reset
        /// The link that verifies the address, outside a session and with another password.
        case verification
    }

    let fixture: IdentityFixture
    /// Of the stranger's account.
    let account: String
    /// The stranger's access token.
    let stranger: String
    let app: AppSetUp
    let confirmed: IdentityV1.ConfirmTOTPResponse

    init() async throws {
        fixture = try IdentityFixture()
        (account, stranger) = try await fixture.member()
        (app, confirmed) = try await fixture.setUpApp(in: stranger)
        try await fixture.relay()
        fixture.time.advance(by: .seconds(60))
    }

    private func verify(
        with password: SecretBytes, in session: String? = nil
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        try await fixture.accounts.confirmEmail(
            .init(
                token: try fixture.latestToken(), password: password,
                device: IdentityFixture.device), fixture.relayed(session))
    }

    /// Takes the account.
    /// - Returns: the account that the owner has then.
    private func take(_ way: Way) async throws -> String? {
        switch way {
        case .provider:
            try await fixture.signIn(by: .token("g1", email: "ada@example.org")).account?.accountId
        case .reset: try await fixture.resetPassword().account?.accountId
        case .verification: try await verify(with: "Owner8Password").account?.accountId
        }
    }

    /// Signs in as the owner.
    private func proof(after way: Way) async throws -> IdentityV1.SignInProof? {
        switch way {
        case .provider:
            try await fixture.signIn(by: .token("g1", email: "ada@example.org", nonce: "n")).proof
        case .reset, .verification: try await fixture.signIn(password: "Owner8Password").proof
        }
    }

    private func isProtected() async throws -> Bool {
        try await fixture.count("second_factors") > 0
    }

    @Test(
        "it removes factors, recovery codes, waiting sign-ins and a waiting removal",
        arguments: Way.allCases)
    func removes(way: Way) async throws {
        let challenge = try await fixture.challenge { try await fixture.signIn() }
        try await fixture.resetFactors(of: account)
        #expect(try await fixture.count("sign_in_challenges") == 1)
        #expect(try await take(way) == account)
        for table in ["second_factors", "recovery_codes", "sign_in_challenges"] {
            #expect(try await fixture.count(table) == 0, "\(table)")
        }
        #expect(
            try await fixture.count("accounts", where: "second_factor_reset_at_ms IS NOT NULL")
                == 0)
        for code in [
            .totpCode(app.code(at: fixture.time.now())),
            .recoveryCode(.init(text: confirmed.recoveryCodes[0])),
        ] as [GatewayV1.CompleteSignInRequest.Proof] {
            let error = try await refusal { try await fixture.complete(challenge, code) }
            #expect(error.code == .invalidChallenge)
        }
        fixture.time.advance(by: .seconds(1))
        #expect(try await proof(after: way)?.purpose == .signIn)
    }

    @Test("the stranger's session, app and codes prove nothing then", arguments: Way.allCases)
    func voidProofs(way: Way) async throws {
        #expect(try await take(way) == account)
        try await fixture.relay()
        #expect(fixture.sessions.ended.last?.exceptSessionId == "")
        fixture.time.advance(by: .seconds(30))
        // As session would answer that has not heard of the end.
        for proof in [
            .totpCode(app.code(at: fixture.time.now())),
            .recoveryCode(.init(text: confirmed.recoveryCodes[1])),
        ] as [GatewayV1.ReauthenticateRequest.Proof] {
            _ = try await refusal { try await fixture.prove(proof, in: stranger) }
        }
        #expect(try await fixture.audited("recovery-code.used") == 0)
    }

    @Test("the person who signed up keeps the factor: by the link in the session, or the password")
    func friendly() async throws {
        _ = try await verify(with: .empty, in: stranger)
        #expect(try await isProtected())
        let other = try await fixture.member("eve@example.org")
        _ = try await fixture.setUpApp(in: other.token)
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(
                token: try fixture.latestToken(to: "eve@example.org"),
                password: "Correct7Horse", device: IdentityFixture.device), fixture.context())
        #expect(try await fixture.count("second_factors") == 2)
        for email in ["ada@example.org", "eve@example.org"] {
            let error = try await refusal { try await fixture.signIn(email) }
            #expect(error.code == .secondProofRequired)
        }
    }

    @Test("once the address is verified, neither a provider nor a reset takes the factor away")
    func verified() async throws {
        _ = try await verify(with: .empty, in: stranger)
        for way in [Way.provider, .reset] {
            #expect(try await refusal { try await take(way) }.code == .secondProofRequired)
        }
        #expect(try await isProtected())
        #expect(try await fixture.count("recovery_codes") == 10)
    }
}
