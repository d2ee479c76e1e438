import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.Identities`: identities at providers, and guests (G-04 … G-08, G-14, G-15);
/// `issueNonce` of `postern.gateway.v1.Providers`; `listSignInMethods` and `unlinkMethod` of
/// `postern.gateway.v1.SignInMethods`.
///
/// The account of a change comes only from the session service (`SessionOwners`), and the identity
/// that a token proves only from the token's verification (`ProviderTokens`). `LinkingRule` and
/// `MethodRule` decide the rest.
struct IdentitiesHandler:
    IdentitiesService, IdentityProvidersService, IdentitySignInMethodsService, OwnerCallsHandler,
    AccountWriting
{
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let owners: SessionOwners
    let calls: AccountCalls
    let tokens: any ProviderTokens
    let signIn: FederatedSignIn
    let adding: MethodAdding

    var answers: AccountAnswers { signIn.answers }
}

/// Issues nonces, and verifies the tokens that apps get from providers.
protocol ProviderTokens: Sendable {
    /// Issues a nonce for one sign-in.
    /// - Throws: `auth/operation-not-allowed` if the provider is not configured.
    func nonce(forProvider name: String) throws -> GatewayV1.IssueNonceResponse

    /// Verifies a token and returns the identity that it proves.
    /// - Throws: `auth/operation-not-allowed`, `auth/missing-or-invalid-nonce`,
    ///   `auth/invalid-provider-token`, `auth/provider-unavailable`.
    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity
}

extension Providers: ProviderTokens {
    func nonce(forProvider name: String) throws -> GatewayV1.IssueNonceResponse {
        nonces.issue(for: try provider(named: name))
    }

    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity {
        try await check.identity(provedBy: token)
    }
}

extension IdentitiesHandler {
    /// Verifies a token and returns the identity that it proves. Records a rejected token in the
    /// audit trail.
    /// - Parameter account: The account of the caller's session; nil outside a session.
    /// - Throws: as `ProviderTokens`; `rpc/invalid-argument` if there is no token.
    func identity(
        provedBy token: GatewayV1.ProviderToken?, for account: AccountID?,
        from origin: CallOrigin
    ) async throws -> ProvedIdentity {
        guard let token else { throw ServiceError(.invalidArgument, fields: ["token"]) }
        do {
            return try await tokens.identity(provedBy: token)
        } catch let error as ServiceError where Self.isAboutToken(error.code) {
            try await store.write(about: [], evenIfCancelled: true) { transaction in
                guard let account else {
                    return try transaction.auditCounted(
                        .signInFailed, outcome: error.code, from: origin)
                }
                try transaction.audit(
                    AuditEvent(.signInFailed, account: account.key, outcome: error.code)
                        .from(origin))
            }
            throw error
        }
    }

    /// Whether an error is about the token. A provider that is unreachable or not configured says
    /// nothing about the caller.
    private static func isAboutToken(_ code: ErrorCode) -> Bool {
        code == .invalidProviderToken || code == .invalidNonce
    }
}
