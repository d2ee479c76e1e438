import Cryptography
import JSON
import Messages
import ServiceRuntime

/// Verifies an ID token and returns the identity that it proves (G-04, G-05; RFC 7519, RFC 8725;
/// OpenID Connect Core 1.0, 3.1.3.7).
///
/// The checks are ordered by cost: provider, nonce, the token's format, its key, its signature, its
/// claims. All rejections return one error code. Its message has a sentence about the rule for the
/// developer (`TokenFault`), and log and metric have the rule (`ProviderTokenRefusals`). None contains
/// anything of the token.
struct ProviderTokenCheck: Sendable {
    /// A provider and its keys.
    struct Source: Sendable {
        let provider: Provider
        let keys: JWKSCache
    }

    /// The longest accepted ID token, in bytes. Google's and Apple's have about 1 KiB, tokens with
    /// lists of groups a few KiB.
    static let tokenBytesMax = 8_192

    private let sources: [String: Source]
    private let nonces: Nonces
    private let time: any Time
    private let refusals: ProviderTokenRefusals

    init(
        sources: [Source], nonces: Nonces, time: any Time, refusals: ProviderTokenRefusals
    ) {
        self.sources = Dictionary(
            sources.map { ($0.provider.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.nonces = nonces
        self.time = time
        self.refusals = refusals
    }

    /// The identity that a token proves. It contains the used nonce, which the sign-in must write
    /// in its own transaction, because a nonce is single-use.
    /// - Throws: `auth/operation-not-allowed`, `auth/missing-or-invalid-nonce`,
    ///   `auth/invalid-provider-token`, `auth/provider-unavailable`.
    func identity(provedBy token: GatewayV1.ProviderToken) async throws -> ProvedIdentity {
        let source = try source(named: token.provider)
        do {
            let nonce = try nonces.read(token.nonce, for: source.provider, at: time.now())
            let object = try await signedClaims(of: token.idToken, source)
            let claims = try ProviderClaims(object, of: source.provider, at: time.now())
            try Nonces.Match.check(claims.nonce, against: token.nonce)
            var identity = claims.identity(of: source.provider, named: token.displayName)
            identity.nonce = nonce
            identity.code = GrantCode(of: token, to: identity)
            return identity
        } catch let refusal as Refusal {
            refusals.count(refusal.rawValue, of: source.provider)
            throw Self.error(
                refusal.isAboutNonce ? .invalidNonce : .invalidProviderToken, refusal.rawValue,
                TokenFault(refusal), source)
        } catch let refusal as TokenRefusal {
            refusals.count(refusal.rawValue, of: source.provider)
            throw Self.error(
                .invalidProviderToken, refusal.rawValue, TokenFault(refusal), source)
        }
    }

    /// The claims of a token that `provider` has signed, not validated. For the provider's notices,
    /// which are another kind of token.
    /// - Throws: `auth/operation-not-allowed`, `auth/invalid-provider-token`,
    ///   `auth/provider-unavailable`.
    func signedClaims(of token: String, from provider: String) async throws -> JSONObject {
        let source = try source(named: provider)
        do {
            return try await signedClaims(of: token, source, isEvent: true)
        } catch let refusal as TokenRefusal {
            throw Self.error(
                .invalidProviderToken, refusal.rawValue, TokenFault(refusal), source)
        }
    }

    /// The error for callers, with the reason for the log, and for the developer what is wrong with
    /// the token.
    private static func error(
        _ code: ErrorCode, _ reason: String, _ fault: TokenFault, _ source: Source
    ) -> ServiceError {
        var error = ServiceError(code, detail: "\(source.provider.name): \(reason)")
        error.violations = [fault.violation]
        return error
    }

    /// A configured provider and its keys.
    /// - Throws: `auth/operation-not-allowed` when no provider of that name is configured.
    func source(named name: String) throws(ServiceError) -> Source {
        guard let source = sources[name] else {
            throw ServiceError(.operationNotAllowed, detail: "no such provider is configured")
        }
        return source
    }

    /// - Throws: `TokenRefusal`; `auth/provider-unavailable`.
    private func signedClaims(
        of token: String, _ source: Source, isEvent: Bool = false
    ) async throws -> JSONObject {
        let signed = try ForeignToken(
            token, bytesMax: Self.tokenBytesMax, algorithms: source.provider.algorithms,
            isEvent: isEvent)
        guard let key = try await source.keys.key(named: signed.keyIdentifier) else {
            throw TokenRefusal.unknownKey
        }
        return try signed.claims(signedBy: key)
    }
}

extension ProviderTokenCheck {
    /// Why a provider's token or its nonce is rejected, except for the token's format, key and
    /// signature (`TokenRefusal`). The raw values are for log and metric. The caller learns which of
    /// the two was rejected, and a sentence about it (`TokenFault`).
    enum Refusal: String, Error, Hashable, CaseIterable, Sendable {
        /// The call has no nonce.
        case nonceMissing = "nonce-missing"
        /// The call's nonce was not made by `Nonces`.
        case nonceUnknown = "nonce-unknown"
        /// The call's nonce was changed, or issued for another provider.
        case nonceProvider = "nonce-provider"
        /// The call's nonce has expired.
        case nonceExpired = "nonce-expired"
        /// A required claim is missing, or a claim has the wrong type.
        case claims
        /// `iss` is not the provider's issuer.
        case issuer
        /// `aud` contains an id that is not one of the operator's client ids.
        case audience
        /// `azp` of a token with several audiences is not one of the operator's client ids.
        case authorisedParty = "authorised-party"
        /// `exp` has passed.
        case expired
        /// `iat` or `nbf` is in the future, or `iat` is after `exp`.
        case issuedAt = "issued-at"
        /// `sub` is invalid.
        case subject
        /// `nonce` differs from the one in the call, or only one of the two is present.
        case nonce

        /// Whether the nonce, and not the token, was rejected.
        fileprivate var isAboutNonce: Bool {
            switch self {
            case .nonceMissing, .nonceUnknown, .nonceProvider, .nonceExpired, .nonce: true
            default: false
            }
        }
    }
}
