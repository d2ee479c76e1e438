import Cryptography
import ServiceRuntime

/// Why a provider's token is not taken. For the log: a caller learns only that it was refused, or
/// that its nonce was.
enum ProviderTokenRefusal: Error, Hashable, Sendable {
    /// Its form, its key or its signature.
    case token(TokenRefusal)
    /// A claim that must be there is not, or one is of a wrong kind.
    case claims
    /// `iss` is another's.
    case issuer
    /// `aud` is not only the operator's.
    case audience
    /// `azp`, of a token for several, is not the operator's.
    case authorisedParty
    /// `exp` is over.
    case expired
    /// `iat` or `nbf` lies ahead, or `iat` behind `exp`.
    case issuedAt
    /// `sub` is none.
    case subject
    /// `nonce` is another than the one handed in, or only one of the two is there.
    case nonce

    /// One word for the log.
    var word: String {
        switch self {
        case .token(let refusal): refusal.rawValue
        default: "\(self)"
        }
    }

    /// As callers and the log are told of it.
    func told(of provider: Provider) -> ServiceError {
        ServiceError(
            self == .nonce ? .invalidNonce : .invalidProviderToken,
            detail: "\(provider.name): \(word)")
    }
}
