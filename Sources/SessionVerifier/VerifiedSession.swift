package import Contracts
package import Cryptography

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
package typealias VerifiedSession = SessionClaims
