import Contracts
import Cryptography
import ServiceRuntime

/// Signs and reads access tokens: ES256 JSON Web Tokens, `typ` `at+jwt` (S-01, RFC 9068).
struct AccessTokens: Sendable {
    private static let identifierBytes = 16

    let life: AccessTokenLife
    let keys: KeysInForce
    let issuer: String
    let audience: String
    /// What the operator's rule adds to each token.
    let extra: ExtraClaims?

    /// A new token for a grant, which does not outlive its session.
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

    /// What a token of ours says, expired or not; nil for one that is not ours, or whose key is
    /// retired. One that was read before under the same keys is looked up.
    func read(_ token: String) -> AccessToken? { known(token)?.token }

    /// The same, with what a validation answers.
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
            // Why it was refused would help nobody but who tries tokens.
            return nil
        }
    }

    /// What a token of ours says, however old: its key may have retired since. For telling what
    /// became of its session and for signing out, since a phone may open its application again
    /// after weeks. Of a revoked key nothing is read: whoever has it could name any session.
    func readRetired(_ token: String) -> AccessToken? {
        if let known = known(token) { return known.token }
        do throws(TokenRefusal) {
            return limited(try keys.current.retiredVerifier.verifyExceptExpiry(token))
        } catch {
            // As in `known`.
            return nil
        }
    }

    /// Tokens from before the setting was made shorter would otherwise outlive what `RevokedSessions`
    /// remembers.
    private func limited(_ claims: TokenClaims) -> AccessToken? {
        AccessToken(claims)?.limited(to: life.longest)
    }
}

/// What an access token of ours says.
typealias AccessToken = SessionClaims
