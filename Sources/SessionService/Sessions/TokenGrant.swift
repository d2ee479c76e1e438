import Contracts
import Messages
import ServiceRuntime

/// Which tokens a caller is to have: decided and durable before any is made.
struct TokenGrant: Hashable, Sendable {
    let session: Session
    /// Of the refresh token.
    let counter: Int64
    /// From when the access token counts.
    let givenAt: Timestamp

    /// The tokens of a session's leaf.
    init(session: Session, givenAt: Timestamp) {
        self.session = session
        counter = session.counter
        self.givenAt = givenAt
    }

    /// Another access token for whoever shows one. It carries that one's counter and not the
    /// leaf's: the leaf's answer may be lost, and a use of this token must not confirm it (G-10).
    init(session: Session, reissuing shown: AccessToken, givenAt: Timestamp) {
        self.session = session
        // A token from before counters has none; 0 confirms nothing.
        counter = shown.counter ?? 0
        self.givenAt = givenAt
    }

    /// The same tokens as at `first` (G-25). The access token counts from then: who repeats a
    /// call, its owner or whoever overheard it, gets no more than the first answer gave.
    init(session: Session, repeating first: StoredResponse) {
        self.session = session
        counter = first.counter
        givenAt = first.givenAt
    }
}

/// Makes the tokens of a grant.
struct TokenIssuer: Sendable {
    let parts: SessionParts

    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    func tokens(_ grant: TokenGrant) throws -> SessionV1.Tokens {
        let session = grant.session
        let unusedEnd = parts.life.unusedEnd(of: session)
        let access = try parts.accessTokens.issue(grant, sessionEnd: unusedEnd, parts.randomness)
        let refresh = RefreshToken(session: session.id, counter: grant.counter)
        return SessionV1.Tokens(
            sessionId: session.id.text, accessToken: access.text,
            accessExpiresAtMs: access.expiresAt.milliseconds,
            refreshToken: parts.refreshTokens.seal.text(of: refresh),
            idleExpiresAtMs: unusedEnd.milliseconds,
            expiresAtMs: parts.life.ageEnd(of: session).milliseconds,
            serverTimeMs: parts.time.now().milliseconds)
    }
}
