package import Cryptography
package import ServiceRuntime

/// What a verifier says of a token.
package enum Verdict: Hashable, Sendable {
    /// It is good now.
    case good(VerifiedSession)
    /// It is not; why is for logs and counters, and nothing to tell whoever sent it.
    case refused(Refusal)

    /// Why a token is refused.
    package enum Refusal: Hashable, Sendable {
        /// It is not ours, or has expired.
        case token(TokenRefusal)
        /// Its session has ended.
        case sessionEnded
        /// Nothing has been heard for longer than the settings trust.
        case stale
        /// The key set could not be fetched yet.
        case noKeys
    }
}

/// What a good token says.
package struct VerifiedSession: Hashable, Sendable {
    /// The session (`sid`).
    package let session: SessionID
    /// Whose it is (`sub`).
    package let account: AccountID
    /// How the account proved itself (`amr`, RFC 8176).
    package let methods: [String]
    /// When it did (`auth_time`).
    package let authenticatedAt: Timestamp
    /// Until when the token is good, by the issuer's clock.
    package private(set) var expiresAt: Timestamp
    /// When it was issued.
    private let issuedAt: Timestamp

    /// What claims say; nil where one is missing that each of our tokens has.
    init?(_ claims: TokenClaims) {
        guard let session = claims.sessionID.flatMap(SessionID.init(text:)),
            let account = AccountID(text: claims.subject),
            let authenticatedAt = claims.authenticatedAt
        else { return nil }
        self.session = session
        self.account = account
        self.authenticatedAt = authenticatedAt
        methods = claims.methods
        expiresAt = claims.expiresAt
        issuedAt = claims.issuedAt
    }

    /// What a token says that is not taken for longer than `lifeMax` after it was issued, whatever
    /// it says; nil where that is not known yet.
    func limited(to lifeMax: Duration?) -> VerifiedSession {
        guard let lifeMax else { return self }
        var limited = self
        limited.expiresAt = min(expiresAt, issuedAt + lifeMax)
        return limited
    }
}
