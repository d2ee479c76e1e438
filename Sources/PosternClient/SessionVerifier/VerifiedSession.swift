import Contracts
@_exported public import Cryptography
import ServiceRuntime

/// The result of verifying a token.
public enum Verdict: Hashable, Sendable {
    /// The token is valid now.
    case good(VerifiedSession)
    /// The token is rejected. The reason is for logs and metrics and must not be sent to the
    /// client.
    case refused(Refusal)

    /// Why a token is rejected.
    public enum Refusal: Hashable, Sendable {
        /// It was not issued by us, or has expired.
        case token(TokenRefusal)
        /// Its session has ended.
        case sessionEnded
        /// The revocation feed has been silent for longer than the settings allow.
        case stale
        /// No key set could be fetched yet.
        case noKeys
    }
}

/// What a valid token says. Times are milliseconds since 1970, in whole seconds.
public struct VerifiedSession: Hashable, Sendable {
    private let claims: SessionClaims

    init(_ claims: SessionClaims) { self.claims = claims }

    /// The session, `ses_…`.
    public var sessionID: String { claims.session.text }
    /// The account, `acc_…`.
    public var accountID: String { claims.account.text }
    /// How the user authenticated (`amr`, RFC 8176), for example `pwd`.
    public var methods: [String] { claims.methods }
    /// When the user last authenticated.
    public var authenticatedAtMs: Int64 { claims.authenticatedAt.milliseconds }
    /// When the token expires.
    public var expiresAtMs: Int64 { claims.expiresAt.milliseconds }
}
