import Cryptography
import ServiceRuntime

/// Why a provider's token is rejected. Only for the log: the caller learns that the token or its
/// nonce was rejected.
enum ProviderTokenRefusal: Error, Hashable, Sendable {
    /// Its format, its key or its signature.
    case token(TokenRefusal)
    /// A required claim is missing, or a claim has the wrong type.
    case claims
    /// `iss` is not the provider's issuer.
    case issuer
    /// `aud` contains an id that is not one of the operator's client ids.
    case audience
    /// `azp` of a token with several audiences is not one of the operator's client ids.
    case authorisedParty
    /// `exp` has passed.
    case expired
    /// `iat` or `nbf` is in the future, or `iat` is after `exp`.
    case issuedAt
    /// `sub` is invalid.
    case subject
    /// `nonce` differs from the one in the call, or only one of the two is present.
    case nonce

    /// One word for the log.
    var word: String {
        switch self {
        case .token(let refusal): refusal.rawValue
        default: "\(self)"
        }
    }

    /// The error for callers, with the detail for the log.
    func told(of provider: Provider) -> ServiceError {
        ServiceError(
            self == .nonce ? .invalidNonce : .invalidProviderToken,
            detail: "\(provider.name): \(word)")
    }
}
