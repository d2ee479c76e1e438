package import Contracts
package import Cryptography

/// The result of verifying a token.
package enum Verdict: Hashable, Sendable {
    /// The token is valid now.
    case good(VerifiedSession)
    /// The token is rejected. The reason is for logs and metrics and must not be sent to the
    /// client.
    case refused(Refusal)

    /// Why a token is rejected.
    package enum Refusal: Hashable, Sendable {
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

/// The claims of a valid token.
package typealias VerifiedSession = SessionClaims
