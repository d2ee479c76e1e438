import CallRecords
import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// `postern.identity.v1.Identities`: identities at providers, guests, and which ways of signing in
/// an account has (G-04 … G-08, G-14, G-15).
///
/// Whose account a change is about comes from session alone (`SessionOwners`), whom a token proves
/// from its check alone (`ProviderTokens`); what follows is decided by `LinkingRule` and `MethodRule`.
package struct Identities: IdentitiesService {
    private let parts: IdentityParts
    private let owners: SessionOwners
    private let tokens: any ProviderTokens

    /// The rpcs over `service`'s store, with the providers that the operator has set up.
    package init(of service: IdentityService, providers: Providers) {
        self.init(of: service, tokens: providers)
    }

    /// The same, for who has only their settings.
    /// - Throws: as `Providers`.
    package init(of service: IdentityService, providers settings: ProvidersSettings) throws {
        let parts = service.parts
        self.init(
            of: service,
            providers: try Providers(
                settings: settings, keys: parts.keys, time: parts.time,
                randomness: parts.randomness, logger: parts.logger))
    }

    /// The same, with what checks their tokens.
    init(of service: IdentityService, tokens: any ProviderTokens) {
        parts = service.parts
        owners = service.owners
        self.tokens = tokens
    }

    /// A nonce for one sign-in at a provider (G-05).
    package func issueNonce(
        _ request: IdentityV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> IdentityV1.IssueNonceResponse {
        try tokens.nonce(forProvider: request.provider)
    }

    /// Signs in by a provider's token (G-04, G-05, G-15).
    package func signInWithProvider(
        _ request: IdentityV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let proved = try await identity(provedBy: request.token, for: nil, request.origin)
        let call = try RepeatableCall(
            "SignInWithProvider",
            // Not whether a guest asks: a repeat may come without, since its session is over.
            [parts.keys.lookUpKey(of: proved), Array(request.language.utf8)], context,
            hash: parts.keys.calls)
        return try await FederatedSignIn(parts: parts).admit(
            proved,
            FederatedSignInCall(
                from: request.origin, language: request.language, call: call, parts),
            askedBy: request.guestAccessToken, owners, context)
    }

    /// Signs in with nothing (G-07).
    package func signInAnonymously(
        _ request: IdentityV1.SignInAnonymouslyRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        try await GuestSignIn(parts: parts).run(request, context)
    }

    /// Adds a provider's identity to the account that asks (G-14).
    package func linkProvider(
        _ request: IdentityV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.LinkProviderResponse {
        let owner = try await owners.ownerOfMethods(request.accessToken, context)
        let proved = try await identity(
            provedBy: request.token, for: owner.account, request.origin)
        let call = try MethodCall(
            "LinkProvider", of: owner, parts.keys.lookUpKey(of: proved), from: request.origin,
            context, parts)
        let row = try await MethodAdding(parts: parts).add(proved, call)
        return IdentityV1.LinkProviderResponse(
            account: try AccountReader(parts: parts).message(row))
    }

    /// Takes a way of signing in away from the account that asks (G-14).
    package func unlink(
        _ request: IdentityV1.UnlinkRequest, _ context: CallContext
    ) async throws -> IdentityV1.UnlinkResponse {
        let owner = try await owners.require(.standard, of: request.accessToken, context)
        let call = try MethodCall(
            "Unlink", of: owner, Array(request.method.utf8), from: request.origin, context, parts)
        let row = try await MethodRemoval(parts: parts).remove(request.method, call)
        return IdentityV1.UnlinkResponse(account: try AccountReader(parts: parts).message(row))
    }

    /// By what the account that asks can be signed in to (G-14).
    package func listMethods(
        _ request: IdentityV1.ListMethodsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListMethodsResponse {
        let owner = try await owners.owner(of: request.accessToken, context)
        return IdentityV1.ListMethodsResponse(
            methods: try await MethodListing(parts: parts).methods(of: owner.account))
    }

    /// Proves the owner of the session that asks once more (G-13).
    package func proveByProvider(
        _ request: IdentityV1.ProveByProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByProviderResponse {
        let owner = try await owners.owner(of: request.accessToken, context)
        let proved = try await identity(
            provedBy: request.token, for: owner.account, request.origin)
        let call = try MethodCall(
            "ProveByProvider", of: owner, parts.keys.lookUpKey(of: proved), from: request.origin,
            context, parts)
        return IdentityV1.ProveByProviderResponse(
            proof: try await ProviderProof(parts: parts).proof(of: owner, by: proved, call))
    }

    private func identity(
        provedBy token: IdentityV1.ProviderToken?, for account: AccountID?,
        _ origin: IdentityV1.Origin?
    ) async throws -> ProvedIdentity {
        try await RecordedTokens(parts: parts, tokens: tokens)
            .identity(provedBy: token, for: account, from: origin)
    }
}
