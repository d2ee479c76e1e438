/// Why a token is not taken. For logs and counters: a caller learns only that it was refused.
package enum TokenRefusal: String, Error, Hashable, CaseIterable, Sendable {
    /// Longer than `TokenVerifier.bytesMax`.
    case tooLong = "too-long"
    /// Not three parts of strict base64url, or no JSON where it has to be.
    case malformed
    /// `alg` is not the one that our keys are for: `none`, an HMAC under a public key.
    case algorithm
    /// `typ` is not the one demanded: another kind of token of ours.
    case type
    /// `crit` asks for something that we do not do (RFC 7515, 4.1.11).
    case critical
    /// The token brings, or points to, a key of its own (`jwk`, `jku`, `x5u`, `x5c`).
    case ownKey = "own-key"
    /// No key of that name.
    case unknownKey = "unknown-key"
    /// Not signed by the key it names.
    case signature
    /// Signed, but a claim is missing or of a wrong kind.
    case claims
    /// From another issuer.
    case issuer
    /// For somebody else.
    case audience
    /// Its time is over.
    case expired
}
