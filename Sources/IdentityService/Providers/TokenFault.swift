import Cryptography
import ServiceRuntime

/// What is wrong with a provider's token, in words for the developer of the app that sent it: they are
/// in the error's `message`, not in its sentence for users. A pure rule:
///
///     refused because of                          the developer reads
///     `exp`                                       it has expired
///     `aud`, `azp`                                it is for another client
///     `iss`, its key, its signature               it is not of this provider
///     `iat`, `nbf`                                its times are wrong
///     a claim that is absent, or of a wrong       it is no ID token
///     type; anything else of its form
///     the nonce                                   the nonce is not that of the token, or not ours,
///                                                 or has expired
///
/// Attack: somebody tries tokens to find one that passes. The claims are looked at after the signature
/// was verified, so only who has a token that the provider signed learns more than "not of this
/// provider", and the client ids are public (`GetSignInOptions`). That keys could not be fetched
/// remains `auth/provider-unavailable`.
enum TokenFault: String, CaseIterable, Sendable {
    case expired = "It has expired."
    case audience = "It is for another client: aud or azp is none of the client ids here."
    case foreign = "It is not of this provider: iss, key or signature differ."
    case times = "Its iat or nbf is in the future, or after its exp."
    case malformed = "It is no ID token: its form, its algorithm or a claim is wrong."
    case nonce = "It is absent, or not the one in the token."
    case nonceUnknown = "It is not of Providers/IssueNonce for this provider."
    case nonceExpired = "It has expired: get another one."

    /// As the field at fault of an error.
    var violation: ServiceError.Violation {
        let isAboutNonce = [Self.nonce, .nonceUnknown, .nonceExpired].contains(self)
        return ServiceError.Violation(
            field: isAboutNonce ? "nonce" : "id_token", sentence: rawValue)
    }

    /// What a violated rule about claims or the nonce is to a developer.
    init(_ refusal: ProviderTokenCheck.Refusal) {
        self =
            switch refusal {
            case .expired: .expired
            case .audience, .authorisedParty: .audience
            case .issuer: .foreign
            case .issuedAt: .times
            case .claims, .subject: .malformed
            case .nonce, .nonceMissing: .nonce
            case .nonceUnknown, .nonceProvider: .nonceUnknown
            case .nonceExpired: .nonceExpired
            }
    }

    /// What a token that cannot be verified is to a developer.
    init(_ refusal: TokenRefusal) {
        self =
            switch refusal {
            case .expired: .expired
            case .audience: .audience
            case .issuer, .unknownKey, .signature: .foreign
            case .tooLong, .malformed, .algorithm, .type, .critical, .ownKey, .claims: .malformed
            }
    }
}
