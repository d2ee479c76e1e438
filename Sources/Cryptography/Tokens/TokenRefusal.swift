/// Why a token is rejected. For logs and metrics: a caller learns only that it was rejected.
public enum TokenRefusal: String, Error, Hashable, CaseIterable, Sendable {
    /// Longer than `TokenVerifier.bytesMax`.
    case tooLong = "too-long"
    /// Not three parts of strict base64url, or invalid JSON.
    case malformed
    /// `alg` is not the algorithm of our keys: for example `none`, or HMAC with a public key as the
    /// secret.
    case algorithm
    /// `typ` is not the required one: another kind of token.
    case type
    /// `crit` names an extension that is not supported (RFC 7515, 4.1.11).
    case critical
    /// The token contains, or points to, its own key (`jwk`, `jku`, `x5u`, `x5c`).
    case ownKey = "own-key"
    /// There is no key with that `kid`.
    case unknownKey = "unknown-key"
    /// The signature is not valid for the key that the token names.
    case signature
    /// The signature is valid, but a claim is missing or has a wrong type.
    case claims
    /// Another issuer.
    case issuer
    /// Another audience.
    case audience
    /// The token has expired.
    case expired
}
