package import Cryptography
import JSON
package import ServiceRuntime

/// The claims of our access tokens (S-01), as the session service and offline verifiers read them.
package struct SessionClaims: Hashable, Sendable {
    /// The session (`sid`).
    package let session: SessionID
    /// The account (`sub`).
    package let account: AccountID
    /// The authentication methods (`amr`, RFC 8176).
    package let methods: [String]
    /// How strongly the account has authenticated in the session (`acr`); nil for a guest, and for a
    /// level of a later release.
    package let assurance: Assurance?
    /// When the account authenticated (`auth_time`).
    package let authenticatedAt: Timestamp
    /// The counter of the refresh token that it was issued with (`ctr`).
    package let counter: Int64?
    /// What the app's backend lets the account do (`roles`, RFC 9068, 2.2.3.1).
    package let roles: [String]
    /// What else the app's backend, and the operator's rule for all tokens, have added: the text of
    /// a JSON object; empty for none. A text, since caches hold thousands of tokens.
    package let customJSON: String
    /// When it was issued (`iat`), rounded down to the second.
    package let issuedAt: Timestamp
    /// When it expires, by the issuer's clock. After that it is accepted only for signing out.
    package private(set) var expiresAt: Timestamp

    /// The session claims of a token; nil if a claim is missing that all our tokens have.
    package init?(_ claims: TokenClaims) {
        guard let session = claims.sessionID.flatMap(SessionID.init(text:)),
            let account = AccountID(text: claims.subject),
            let authenticatedAt = claims.authenticatedAt
        else { return nil }
        self.session = session
        self.account = account
        self.authenticatedAt = authenticatedAt
        methods = claims.methods
        assurance = claims.assurance.flatMap(Assurance.init(rawValue:))
        counter = claims.counter
        roles = claims.roles
        customJSON = claims.custom.members.isEmpty ? "" : JSONWriter.text(claims.custom)
        issuedAt = claims.issuedAt
        expiresAt = claims.expiresAt
    }

    /// The claims with `expiresAt` limited to `lifeMax` after the issue, whatever the token says.
    /// Without `lifeMax` they are unchanged.
    package func limited(to lifeMax: Duration?) -> SessionClaims {
        guard let lifeMax else { return self }
        var limited = self
        limited.expiresAt = min(expiresAt, issuedAt + lifeMax)
        return limited
    }
}
