import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.Identities`: identities at providers, guests, and the sign-in methods of an
/// account (G-04 … G-08, G-14, G-15).
///
/// The account of a change comes only from the session service (`SessionOwners`), and the identity
/// that a token proves only from the token's verification (`ProviderTokens`). `LinkingRule` and
/// `MethodRule` decide the rest.
package struct Identities: IdentitiesService {
    private let parts: IdentityParts
    private let owners: SessionOwners
    private let tokens: any ProviderTokens

    /// Serves these rpcs over the store of `service`, with the operator's providers.
    package init(of service: IdentityService, providers: Providers) {
        self.init(of: service, tokens: providers)
    }

    /// As above, for a caller that has only the providers' settings.
    /// - Throws: as `Providers`.
    package init(of service: IdentityService, providers settings: ProvidersSettings) throws {
        let parts = service.parts
        self.init(
            of: service,
            providers: try Providers(
                settings: settings, keys: parts.keys, time: parts.time,
                randomness: parts.randomness, logger: parts.logger))
    }

    /// As above, with another verifier of provider tokens.
    init(of service: IdentityService, tokens: any ProviderTokens) {
        parts = service.parts
        owners = service.owners
        self.tokens = tokens
    }

    /// Issues a nonce for one sign-in at a provider (G-05).
    /// - Throws: `auth/operation-not-allowed` if the provider is not configured.
    package func issueNonce(
        _ request: IdentityV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> IdentityV1.IssueNonceResponse {
        try tokens.nonce(forProvider: request.provider)
    }

    /// Signs in with a provider's token (G-04, G-05, G-15).
    /// - Throws: as `RecordedTokens` and `FederatedSignIn`; for a guest as `SessionOwners.owner`.
    package func signInWithProvider(
        _ request: IdentityV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        let proved = try await identity(provedBy: request.token, for: nil, request.origin)
        let call = try RepeatableCall(
            "SignInWithProvider",
            // Whether a guest asks is left out: a repeat may come without the guest's session,
            // which the first call ended.
            [parts.keys.lookUpKey(of: proved), Array(request.language.utf8)], context,
            hash: parts.keys.calls)
        return try await FederatedSignIn(parts: parts).admit(
            proved,
            FederatedSignInCall(
                from: request.origin, language: request.language, call: call, parts),
            askedBy: request.guestAccessToken, owners, context)
    }

    /// Signs in as a new guest (G-07).
    /// - Throws: as `GuestSignIn.run`.
    package func signInAnonymously(
        _ request: IdentityV1.SignInAnonymouslyRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        try await GuestSignIn(parts: parts).run(request, context)
    }

    /// Links a provider's identity to the caller's account (G-14).
    /// - Throws: as `SessionOwners.ownerOfMethods`, `RecordedTokens` and `MethodAdding`.
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

    /// Unlinks a sign-in method from the caller's account (G-14).
    /// - Throws: as `SessionOwners.require` and `MethodRemoval`.
    package func unlink(
        _ request: IdentityV1.UnlinkRequest, _ context: CallContext
    ) async throws -> IdentityV1.UnlinkResponse {
        let owner = try await owners.require(.standard, of: request.accessToken, context)
        let call = try MethodCall(
            "Unlink", of: owner, Array(request.method.utf8), from: request.origin, context, parts)
        let row = try await MethodRemoval(parts: parts).remove(request.method, call)
        return IdentityV1.UnlinkResponse(account: try AccountReader(parts: parts).message(row))
    }

    /// Lists the sign-in methods of the caller's account (G-14).
    /// - Throws: as `SessionOwners.owner`.
    package func listMethods(
        _ request: IdentityV1.ListMethodsRequest, _ context: CallContext
    ) async throws -> IdentityV1.ListMethodsResponse {
        let owner = try await owners.owner(of: request.accessToken, context)
        return IdentityV1.ListMethodsResponse(
            methods: try await MethodListing(parts: parts).methods(of: owner.account))
    }

    /// Authenticates the owner of the caller's session again, with a provider's token (G-13).
    /// - Throws: as `SessionOwners.owner`, `RecordedTokens` and `ProviderProof`.
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
