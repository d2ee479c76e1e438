import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

/// Ways to sign in to an account that exists.
enum SignInWay: CaseIterable, Sendable {
    case password, resetLink, phone
    /// A provider that is linked, and knows another address than the account's.
    case knownProvider
    /// One that is linked by the sign-in, because it knows the account's address.
    case newProvider

    /// What a `GatedPerson` can show beside it.
    var kinds: [SecondProofKind] {
        switch self {
        case .password: [.phone, .email, .provider]
        case .resetLink, .newProvider: [.phone, .password, .provider]
        case .phone: [.email, .password, .provider]
        case .knownProvider: [.phone, .email, .password]
        }
    }

    var amr: [String] {
        switch self {
        case .password: Authentication.password.amr
        case .resetLink: Authentication.resetLink.amr
        case .phone: Authentication.phoneCode.amr
        case .knownProvider, .newProvider: Authentication.providerToken.amr
        }
    }
}

/// Somebody with a password, a verified address, a number and Google, behind a gate.
struct GatedPerson: Sendable {
    /// A sign-in by something that can be used once, under an idempotency key.
    typealias SignIn = @Sendable (_ key: String?) async throws -> IdentityV1.SignInProof?

    let identity: IdentityFixture
    let phones: PhoneCodeFixture
    /// "acc_…"
    let account: String
    /// An access token.
    let token: String

    init(_ gate: SignInGate = .always) async throws {
        identity = try IdentityFixture(gate: gate)
        phones = PhoneCodeFixture(identity)
        account = try await identity.registerProved().accountId
        // Of two proofs, since some gates say that a factor is on.
        token = identity.devices.open(
            account, amr: Authentication.password.amr + Authentication.totp.amr)
        _ = try await identity.link(.token("g1"), in: token)
        let sent = try await phones.sent(PhoneCodeFixture.number, .link, accessToken: token)
        _ = try await phones.link(sent, token)
        try await identity.relay()
        identity.time.advance(by: .seconds(60))
    }

    /// Prepares what a sign-in uses.
    func signIn(_ way: SignInWay) async throws -> SignIn {
        let (identity, phones) = (identity, phones)
        switch way {
        case .password:
            return { try await identity.signIn(key: $0).proof }
        case .resetLink:
            let token = try await identity.resetToken()
            return { try await identity.reset(token, key: $0).proof }
        case .phone:
            let sent = try await phones.sent()
            return { try await phones.signIn(sent, key: $0).proof }
        case .knownProvider:
            return { try await identity.signIn(by: .token("g1", nonce: "n1"), key: $0).proof }
        case .newProvider:
            return {
                try await identity.signIn(
                    by: .token("a1", email: "ada@example.org", by: "apple", nonce: "n2"), key: $0
                ).proof
            }
        }
    }

    /// Signs in, and is asked for a second proof.
    func begin(_ way: SignInWay, key: String? = nil) async throws -> ServiceError.SecondProof {
        let signIn = try await signIn(way)
        return try await identity.challenge { try await signIn(key) }
    }

    /// A right proof of a kind.
    func proof(
        _ kind: SecondProofKind, of challenge: ServiceError.SecondProof
    ) async throws -> GatewayV1.CompleteSignInRequest.Proof {
        switch kind {
        case .phone: .phoneCode(.init(text: try await identity.textedCode(challenge)))
        case .email: .emailCode(.init(text: try await identity.mailedCode(challenge)))
        case .password: .password("Correct7Horse")
        case .provider: .providerToken(.token("g1", nonce: "second"))
        case .totp, .recoveryCode, .passkey: preconditionFailure("a gated person has no factor")
        }
    }

    /// What a sign-in would change.
    func state() async throws -> [[SQLValue]] {
        let texts = [
            "SELECT * FROM accounts", "SELECT * FROM passwords", "SELECT * FROM email_addresses",
            "SELECT * FROM identities ORDER BY identity", "SELECT * FROM known_devices",
            "SELECT count(*) FROM audit WHERE kind = 'sign-in.succeeded'",
        ]
        return try await identity.store.read { session in
            try texts.flatMap { text in try session.query(text) { $0.values } }
        }
    }

    /// The wrong proofs that the challenges of the account have had.
    func attempts() async throws -> Int64 {
        try await identity.store.read { session in
            try session.queryOne(
                "SELECT CAST(coalesce(sum(attempts), 0) AS BIGINT) FROM sign_in_challenges"
            ) { try $0.integer(0) } ?? -1
        }
    }
}
