import Contracts
import Cryptography
import ServiceRuntime

/// Issues and verifies access tokens: ES256 JSON Web Tokens with `typ` `at+jwt` (S-01, RFC 9068).
struct AccessTokens: Sendable {
    private static let identifierBytes = 16

    let life: AccessTokenLife
    let keys: KeysInForce
    let issuer: String
    let audience: String
    /// Claims that the operator adds to each token.
    let extra: ExtraClaims?

    /// Issues a token for a grant; it expires no later than its session.
    func issue(
        _ grant: TokenGrant, sessionEnd: Timestamp, _ randomness: any Randomness
    ) throws -> (text: String, expiresAt: Timestamp) {
        let expiresAt = life.expiry(
            givenAt: grant.givenAt, sessionEnd: sessionEnd, draw: randomness.integer())
        let session = grant.session
        let claims = TokenClaims(
            issuer: issuer, subject: session.account.text, audience: [audience],
            expiresAt: expiresAt, issuedAt: grant.givenAt, sessionID: session.id.text,
            methods: session.proofs.latest.methods,
            authenticatedAt: session.proofs.latest.at,
            identifier: Base64URL.encode(randomness.bytes(Self.identifierBytes)),
            counter: grant.counter, extra: extra)
        return (try keys.current.signer.sign(claims), expiresAt)
    }

    /// The claims of one of our tokens, expired or not; nil for a token that is not ours or whose
    /// key is retired. Tokens verified before under the same keys are cached.
    func read(_ token: String) -> AccessToken? { known(token)?.token }

    /// The same, with the response to a validation.
    func known(_ token: String) -> CachedToken? {
        if let known = keys.known(token) { return known }
        let keys = keys.current
        do throws(TokenRefusal) {
            guard let read = limited(try keys.verifier.verifyExceptExpiry(token)) else {
                return nil
            }
            let known = CachedToken(read, text: token, keys: keys.version)
            self.keys.insert(known, for: token)
            return known
        } catch {
            // The reason of a rejection would only help an attacker who tries tokens.
            return nil
        }
    }

    /// The claims of one of our tokens, however old: its key may have retired since. For inspecting
    /// its session and for signing out, since an application may be opened again after weeks.
    /// Tokens of a revoked key are not read: an attacker with that key could name any session.
    func readRetired(_ token: String) -> AccessToken? {
        if let known = known(token) { return known.token }
        do throws(TokenRefusal) {
            return limited(try keys.current.retiredVerifier.verifyExceptExpiry(token))
        } catch {
            // See `known`.
            return nil
        }
    }

    /// Applies the current setting. Tokens issued before it was shortened would otherwise outlive
    /// the entries of `RevokedSessions`.
    private func limited(_ claims: TokenClaims) -> AccessToken? {
        AccessToken(claims)?.limited(to: life.longest)
    }
}

/// The claims of an access token.
typealias AccessToken = SessionClaims
