import Contracts
import Cryptography
import ServiceRuntime

/// The published keys of a verifier, with a cache of the tokens verified with them. The cache is
/// dropped together with the keys, so no cached token outlives the revocation of its key.
final class KnownKeys: Sendable {
    let verified = VerifiedTokenCache<SessionClaims>()
    /// SHA-256 of the key set's text, by which the revocation feed announces changes.
    let hash: [UInt8]
    private let verifier: TokenVerifier

    /// Parses a published key set.
    /// - Throws: `JSONWebKeySetError`.
    init(_ jwks: String, settings: VerifierSettings) throws {
        hash = SHA256.hash(jwks.utf8)
        verifier = TokenVerifier(
            keys: try JSONWebKeySet(json: jwks.utf8), type: TokenSigner.accessTokenType,
            issuer: settings.issuer, audience: settings.audience)
    }

    /// The claims of a token that one of these keys has signed, even if it has expired. Tokens that
    /// were verified before come from the cache.
    /// - Throws: `TokenRefusal`; never `expired`.
    func read(_ token: String) throws(TokenRefusal) -> SessionClaims {
        if let known = verified[token] { return known }
        let claims = try verifier.verifyExceptExpiry(token)
        guard let session = SessionClaims(claims) else { throw .claims }
        verified.insert(session, for: token)
        return session
    }
}
