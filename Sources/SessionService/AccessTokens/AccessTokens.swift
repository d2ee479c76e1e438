import Contracts
import Cryptography
import Logging
import ServiceRuntime

/// Issues and verifies access tokens: ES256 JSON Web Tokens with `typ` `at+jwt` (S-01, RFC 9068).
struct AccessTokens: Sendable {
    private static let identifierBytes = 16
    /// The longest life of a brief session's token: that of the session, plus the second by which
    /// `iat` may be rounded.
    static let briefLongest = SessionLife.briefAge + .seconds(1)

    let life: Life
    let keys: CurrentSigningKeys
    let issuer: String
    let audience: String
    /// Claims that the operator adds to each token.
    let extra: ExtraClaims?
    /// Reports what they replace.
    let overridden: OverriddenClaims

    /// How long a token may be accepted after its issue: the longest life and the leeway of
    /// verifiers.
    var retention: Duration { max(life.longest, Self.briefLongest) + TokenVerifier.leeway }

    /// Issues a token for a grant; it expires no later than its session, and that of a brief session
    /// with it: nothing could renew it.
    /// - Parameter box: Opens the account's claims.
    func issue(
        _ grant: TokenGrant, sessionEnd: Timestamp, _ box: SealedBox,
        _ randomness: any Randomness
    ) throws -> (text: String, expiresAt: Timestamp) {
        let session = grant.session
        let expiresAt =
            session.isBrief
            ? sessionEnd.wholeSecond
            : life.expiry(
                givenAt: grant.givenAt, sessionEnd: sessionEnd, draw: randomness.integer())
        let custom = try grant.claims?.opened(of: session.account, box) ?? AccountClaims()
        let claims = TokenClaims(
            issuer: issuer, subject: session.account.text, audience: [audience],
            expiresAt: expiresAt, issuedAt: grant.givenAt, sessionID: session.id.text,
            methods: session.proofs.latest.methods,
            assurance: session.proofs.assurance?.rawValue,
            authenticatedAt: session.proofs.latest.at,
            identifier: Base64URL.encode(randomness.bytes(Self.identifierBytes)),
            counter: grant.counter, roles: custom.roles, custom: custom.object, extra: extra)
        overridden.look(at: claims)
        return (try keys.current.signer.sign(claims), expiresAt)
    }

    /// The claims of one of our tokens, expired or not, with the response to a validation; nil for
    /// a token that is not ours or whose key is retired. Tokens verified before under the same keys
    /// are cached.
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
            // Which key, claim or signature it was would only help an attacker who tries tokens:
            // `AccessTokenFault` is all that is said.
            return nil
        }
    }

    /// The claims of one of our tokens, however old: its key may have retired since. For inspecting
    /// its session and for signing out, since an application may be opened again after weeks.
    /// Tokens of a revoked key are not read: an attacker with that key could name any session. Nor
    /// is a current token of a retired key, which signed none that is current: an attacker has
    /// signed it with a key from an old copy of the store. With an expired one he can still ask
    /// whether a session lives whose id he knows, and end it, until the key is revoked.
    func readRetired(_ token: String, at now: Timestamp) -> AccessToken? {
        if let known = known(token) { return known.token }
        do throws(TokenRefusal) {
            let read = limited(try keys.current.retiredVerifier.verifyExceptExpiry(token))
            return read.flatMap { $0.expiresAt <= now ? $0 : nil }
        } catch {
            // See `known`.
            return nil
        }
    }

    /// Applies the current setting. Tokens issued before it was shortened would otherwise outlive
    /// the entries of `RevokedSessions`. It is not that of brief sessions, whose tokens have the
    /// counter 0.
    private func limited(_ claims: TokenClaims) -> AccessToken? {
        AccessToken(claims).map { token in
            token.limited(to: token.counter == 0 ? Self.briefLongest : life.longest)
        }
    }
}

extension AccessTokens {
    /// The tokens that the operator's settings and the loaded keys give.
    init(_ settings: SessionSettings, _ ring: SigningKeyRing, logger: Logger) {
        self.init(
            life: Life(mean: settings.accessTokenLife),
            keys: CurrentSigningKeys(
                ring, issuer: settings.issuer, audience: settings.audience),
            issuer: settings.issuer, audience: settings.audience, extra: settings.extraClaims,
            overridden: OverriddenClaims(logger: logger))
    }
}

extension AccessTokens {
    /// The lifetime of access tokens (S-01): the setting's time, ± 5 % jitter, so that clients that
    /// signed in together (after an outage, for example) do not keep refreshing together. Pure.
    struct Life: Hashable, Sendable {
        /// The jitter is life / 20 to either side: 5 %.
        private static let jitterDivisor: Int64 = 20

        /// The mean lifetime.
        let mean: Duration

        /// When a token issued at `givenAt` expires: a whole second, as claims have no fractions,
        /// and not after the session's end.
        /// - Parameter draw: a random number for the jitter.
        func expiry(givenAt: Timestamp, sessionEnd: Timestamp, draw: UInt64) -> Timestamp {
            let width = UInt64(clamping: 2 * jitter + 1)
            let offset = Int64(clamping: draw % width) - jitter
            return min(givenAt + mean + .milliseconds(offset), sessionEnd).wholeSecond
        }

        /// The longest time that any token is accepted after it was issued: mean and jitter, plus
        /// the second by which `iat` may be rounded.
        var longest: Duration { mean + .milliseconds(jitter) + .seconds(1) }

        private var jitter: Int64 { mean.milliseconds / Self.jitterDivisor }
    }
}

extension Timestamp {
    /// Without its fraction of a second, which claims cannot have.
    fileprivate var wholeSecond: Timestamp { Timestamp(milliseconds: seconds * 1_000) }
}

/// The claims of an access token.
typealias AccessToken = SessionClaims
