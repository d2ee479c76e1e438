import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.Identities`: identities at providers, passkeys, and guests (F-01, G-04 …
/// G-08, G-14, G-15); `issueNonce` of `postern.gateway.v1.Providers`; `listSignInMethods` and
/// `unlinkMethod` of `postern.gateway.v1.SignInMethods`.
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
    let passkeys: PasskeyCheck
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
            // Of a provider that the operator has: no other token is judged.
            let detail = AuditDetail.method(token.provider)
            try await store.write(about: [], evenIfCancelled: true) { transaction in
                guard let account else {
                    return try transaction.auditCounted(
                        .signInFailed, detail, outcome: error.code, from: origin)
                }
                try transaction.audit(
                    .signInFailed, account, detail: detail, from: origin, outcome: error.code)
            }
            throw error
        }
    }

    /// Whether an error is about the token. A provider that is unreachable or not configured says
    /// nothing about the caller.
    private static func isAboutToken(_ code: ErrorCode) -> Bool {
        code == .invalidProviderToken || code == .invalidNonce
    }

    /// Issues a nonce for one sign-in at a provider (G-05). Nothing is stored until it is used, so
    /// there is no limit.
    func issueNonce(
        _ request: GatewayV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> GatewayV1.IssueNonceResponse {
        try context.requireGateway()
        return try tokens.nonce(forProvider: request.provider)
    }

    /// Links a provider's identity to the caller's account (G-14).
    func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        let owner = try await owners.ownerOfMethods(in: context)
        let origin = CallOrigin(context, on: request.device, keys)
        let proved = try await identity(
            provedBy: request.token, for: owner.account, from: origin)
        let call = MethodCall(
            of: owner, from: origin, on: request.device,
            try RepeatableCall(
                IdentitiesDescription.linkProvider, request, by: owner.account.text,
                proving: keys.lookUpKey(of: proved), context, keys))
        let row = try await adding.add(proved, call)
        return GatewayV1.LinkProviderResponse(account: try await answers.account(row))
    }

    /// Signs in with a provider's token (G-04, G-05, G-15): verifies the token, finds the identity
    /// and its account, decides by `LinkingRule`, writes, answers. All but the first are
    /// `FederatedSignIn`, in one transaction.
    func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let origin = CallOrigin(context, on: request.device, keys)
        let language = try context.mailLanguage(request.mailLanguage, settings)
        let caller = try await owners.calling(in: context)
        let proved = try await identity(provedBy: request.token, for: nil, from: origin)
        let call = try RepeatableCall(
            IdentitiesDescription.signInWithProvider, request, by: caller.caller,
            proving: keys.lookUpKey(of: proved), context, keys)
        return try await signIn.run(
            proved,
            FederatedSignInCall(
                from: origin, on: request.device, language: language,
                acceptance: Acceptance(request.acceptance), in: caller,
                challenged: ChallengedCall(
                    context, deviceID: request.device?.deviceId ?? "", keys), repeatable: call))
    }
}
