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
    /// How strongly the user has authenticated in this session (`acr`, NIST SP 800-63B): `aal1`, or
    /// `aal2` by two proofs; nil for a guest.
    public var assurance: String? { claims.assurance?.rawValue }
    /// When the user last authenticated.
    public var authenticatedAtMs: Int64 { claims.authenticatedAt.milliseconds }
    /// When the token expires.
    public var expiresAtMs: Int64 { claims.expiresAt.milliseconds }
    /// What your backend lets the account do (`roles`, RFC 9068): those of `SetAccountClaims` when the
    /// token was issued.
    public var roles: [String] { claims.roles }
    /// What else your backend has attached to the account, and the operator's setting `token-claims`
    /// to all tokens, by name. It is parsed at each use.
    public var customClaims: [String: ClaimValue] { ClaimValue.members(of: claims.customJSON) }
}
