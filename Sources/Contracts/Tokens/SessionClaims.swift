package import Cryptography
package import ServiceRuntime

/// What an access token of ours says (S-01), as the session service and offline verifiers read it.
package struct SessionClaims: Hashable, Sendable {
    /// The session (`sid`).
    package let session: SessionID
    /// Whose it is (`sub`).
    package let account: AccountID
    /// How the account proved itself (`amr`, RFC 8176).
    package let methods: [String]
    /// When it did (`auth_time`).
    package let authenticatedAt: Timestamp
    /// Of the refresh token that it was given with (`ctr`).
    package let counter: Int64?
    /// When it was issued (`iat`): to the second, rounded down.
    package let issuedAt: Timestamp
    /// From when on it is good for nothing but signing out, by the issuer's clock.
    package private(set) var expiresAt: Timestamp

    /// What claims say; nil where one is missing that each of our tokens has.
    package init?(_ claims: TokenClaims) {
        guard let session = claims.sessionID.flatMap(SessionID.init(text:)),
            let account = AccountID(text: claims.subject),
            let authenticatedAt = claims.authenticatedAt
        else { return nil }
        self.session = session
        self.account = account
        self.authenticatedAt = authenticatedAt
        methods = claims.methods
        counter = claims.counter
        issuedAt = claims.issuedAt
        expiresAt = claims.expiresAt
    }

    /// What a token says that is not taken for longer than `lifeMax` after it was issued, whatever
    /// it says; nil where no such limit is known.
    package func limited(to lifeMax: Duration?) -> SessionClaims {
        guard let lifeMax else { return self }
        var limited = self
        limited.expiresAt = min(expiresAt, issuedAt + lifeMax)
        return limited
    }
}
