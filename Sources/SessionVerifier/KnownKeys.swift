import Contracts
import Cryptography
import ServiceRuntime

/// The published keys as a verifier knows them, with the tokens that it has verified under them:
/// these go with the keys, so that nothing outlives a revocation here.
final class KnownKeys: Sendable {
    let verified = VerifiedTokenCache<VerifiedSession>()
    /// SHA-256 of the key set's text, by which followers are told of a change.
    let hash: [UInt8]
    private let verifier: TokenVerifier

    /// The keys of a published set.
    /// - Throws: `JSONWebKeySetError`.
    init(_ jwks: String, settings: VerifierSettings) throws {
        hash = SHA256.hash(jwks.utf8)
        verifier = TokenVerifier(
            keys: try JSONWebKeySet(json: jwks.utf8), type: TokenSigner.accessTokenType,
            issuer: settings.issuer, audience: settings.audience)
    }

    /// What a token says that one of these keys has signed, however old it is; one that was read
    /// before is looked up.
    func read(_ token: String) throws(TokenRefusal) -> VerifiedSession {
        if let known = verified[token] { return known }
        let claims = try verifier.verifyExceptExpiry(token)
        guard let session = VerifiedSession(claims) else { throw .claims }
        verified.insert(session, for: token)
        return session
    }
}
