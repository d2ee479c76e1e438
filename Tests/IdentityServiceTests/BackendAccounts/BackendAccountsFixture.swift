import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport

@testable import IdentityAssembly
@testable import IdentityService

/// The handler of accounts in a backend's hands, which permits the backend `crm`, and requests that
/// `crm` signs.
struct BackendAccountsFixture: Sendable {
    static let audience = "https://auth.example.org"
    static let label = "postern accounts v1"

    let identity: IdentityFixture
    let handler: BackendAccountsHandler

    /// - Parameter managers: the setting `account-managers`.
    init(_ identity: IdentityFixture? = nil, managers: [String] = ["crm"]) throws {
        let identity = try identity ?? IdentityFixture()
        self.identity = identity
        let own = identity.service.core.backendAccounts
        let applications = Applications(
            name: "crm", keyID: "k1", key: try Self.key(), mayAssertClientAddress: false)
        handler = BackendAccountsHandler(
            store: own.store, passwords: own.passwords, time: own.time, answers: own.answers,
            calls: AccountCalls(
                keys: identity.keys, sessions: identity.sessions,
                backends: BackendCalls(
                    rules: [
                        try .pushes(senders: ["crm"]), try .accounts(managers: managers),
                    ], audiences: [Self.audience], applications: Reloadable(applications),
                    time: identity.time), time: identity.time))
    }

    /// The backend's key.
    static func key(_ byte: UInt8 = 1) throws -> Ed25519SigningKey {
        try Ed25519SigningKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
    }

    /// A token's claims, and how a test changes them.
    struct Claim {
        var method: String?
        var audience = BackendAccountsFixture.audience
        var application = "crm"
        var keyID = "k1"
        var key: UInt8 = 1
        var idempotencyKey: String? = "k"
        var label = BackendAccountsFixture.label
        var account: String?
        var actor: String?
    }

    /// The account and the token of a request.
    /// - Parameters:
    ///   - parts: the fields after the call; nil for an absent one.
    ///   - change: changes the token's claims.
    func call(
        _ method: MethodDescription, on account: String, _ parts: [String?], key: String? = "k",
        actor: String = "ann", changing change: (inout Claim) -> Void = { _ in }
    ) throws -> GatewayV1.BackendCall {
        var claim = Claim(idempotencyKey: method.isIdempotent ? nil : key)
        change(&claim)
        let head = [claim.label, claim.account ?? account, claim.actor ?? actor]
        let fields: [[UInt8]] = parts.map { text in
            guard let text else { return [0] }
            return [1] + Array(text.utf8)
        }
        let token = try BackendToken.sign(
            claim.method ?? method.name, head.map { Array($0.utf8) } + fields,
            idempotencyKey: claim.idempotencyKey, audience: claim.audience,
            at: identity.time.now(), by: claim.application, key: Self.key(claim.key),
            keyID: claim.keyID)
        return .init(accountId: account, applicationToken: SecretBytes(text: token), actor: actor)
    }

    /// A field without presence, as a token covers it.
    private static func part(_ text: String) -> String? { text.isEmpty ? nil : text }
    private static func part(_ flag: Bool) -> String? { flag ? "true" : nil }
    private static func part(_ list: [String]) -> String? {
        let items = list.map { "\"\($0)\"" }.joined(separator: ",")
        return list.isEmpty ? nil : "[\(items)]"
    }
    private static func part(_ secret: SecretBytes) -> String? {
        part(secret.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    // MARK: Signed requests

    func signed(
        _ request: GatewayV1.CreateAccountRequest, key: String? = "k",
        changing change: (inout Claim) -> Void = { _ in }
    ) throws -> GatewayV1.CreateAccountRequest {
        var signed = request
        signed.call = try call(
            BackendAccountsDescription.createAccount, on: "",
            [
                Self.part(request.email), Self.part(request.emailVerified),
                Self.part(request.phoneNumber), Self.part(request.password),
                Self.part(request.displayName), Self.part(request.mailLanguage),
                Self.part(request.roles), Self.part(request.claimsJson),
                Self.part(request.sendVerification),
            ], key: key, changing: change)
        return signed
    }

    func signed(
        _ request: GatewayV1.ChangeAccountRequest, on account: String, key: String? = "k"
    ) throws -> GatewayV1.ChangeAccountRequest {
        var email: String?
        if case .email(let text) = request.address { email = text }
        var number: String?
        if case .phoneNumber(let text) = request.number { number = text }
        var name: String?
        if case .displayName(let text) = request.name { name = text }
        var signed = request
        signed.call = try call(
            BackendAccountsDescription.changeAccount, on: account,
            [email, Self.part(request.emailVerified), number, Self.part(request.password), name],
            key: key)
        return signed
    }

    func signed(
        _ request: GatewayV1.SetAccountClaimsRequest, on account: String, key: String? = "k"
    ) throws -> GatewayV1.SetAccountClaimsRequest {
        var base: String?
        if case .baseVersion(let version) = request.base { base = "\(version)" }
        let effect: String? =
            switch request.effect {
            case .atOnce: "CLAIMS_EFFECT_AT_ONCE"
            case .nextRefresh: "CLAIMS_EFFECT_NEXT_REFRESH"
            default: nil
            }
        var signed = request
        signed.call = try call(
            BackendAccountsDescription.setAccountClaims, on: account,
            [Self.part(request.roles), Self.part(request.claimsJson), base, effect], key: key)
        return signed
    }

    func signed(
        _ request: GatewayV1.IssueLinkRequest, on account: String, key: String? = "k"
    ) throws -> GatewayV1.IssueLinkRequest {
        let purpose: String? =
            switch request.purpose {
            case .verifyEmail: "LINK_PURPOSE_VERIFY_EMAIL"
            case .resetPassword: "LINK_PURPOSE_RESET_PASSWORD"
            case .changeEmail: "LINK_PURPOSE_CHANGE_EMAIL"
            case .deleteAccount: "LINK_PURPOSE_DELETE_ACCOUNT"
            default: nil
            }
        var signed = request
        signed.call = try call(
            BackendAccountsDescription.issueLink, on: account,
            [purpose, Self.part(request.newEmail)], key: key)
        return signed
    }

    func signedDeletion(
        of account: String, wait: Bool = false, key: String? = "k"
    ) throws -> GatewayV1.DeleteManagedAccountRequest {
        .init(
            call: try call(
                BackendAccountsDescription.deleteManagedAccount, on: account, [Self.part(wait)],
                key: key),
            wait: wait)
    }

    // MARK: Calls, as the gateway passes them on

    /// The context of the gateway's call.
    func context(_ key: String? = "gateway") -> CallContext { identity.relayed(nil, key) }

    func create(
        _ request: GatewayV1.CreateAccountRequest, key: String = "k"
    ) async throws -> GatewayV1.CreateAccountResponse {
        try await handler.createAccount(try signed(request, key: key), context())
    }

    func change(
        _ account: String, _ request: GatewayV1.ChangeAccountRequest, key: String = "k"
    ) async throws -> GatewayV1.Account? {
        try await handler.changeAccount(
            try signed(request, on: account, key: key), context()
        ).account
    }

    func setClaims(
        _ account: String, _ request: GatewayV1.SetAccountClaimsRequest, key: String = "k"
    ) async throws -> Int64 {
        try await handler.setAccountClaims(
            try signed(request, on: account, key: key), context()
        ).version
    }

    func claims(of account: String) async throws -> GatewayV1.GetAccountClaimsResponse {
        try await handler.getAccountClaims(
            .init(call: try call(BackendAccountsDescription.getAccountClaims, on: account, [])),
            context())
    }

    func link(
        _ account: String, _ purpose: GatewayV1.LinkPurpose, newEmail: String = "",
        key: String = "k"
    ) async throws -> GatewayV1.IssueLinkResponse {
        try await handler.issueLink(
            try signed(.init(purpose: purpose, newEmail: newEmail), on: account, key: key),
            context())
    }

    func delete(
        _ account: String, wait: Bool = false, key: String = "k"
    ) async throws -> GatewayV1.Deletion? {
        try await handler.deleteManagedAccount(
            try signedDeletion(of: account, wait: wait, key: key), context()
        ).deletion
    }

    /// The token of a link.
    static func token(_ link: GatewayV1.IssueLinkResponse) -> String {
        String(link.url.split(separator: "?token=").last ?? "")
    }

    /// All rows that a call could change.
    func rows() async throws -> [Int64] {
        var counts: [Int64] = []
        for table in [
            "accounts", "passwords", "identities", "email_addresses", "custom_claims", "links",
            "email_changes", "deletions", "audit", "outbox", "idempotency",
        ] {
            counts.append(try await identity.count(table))
        }
        return counts
    }
}
