import JSON
package import ServiceRuntime

/// Verifies tokens of one type, issuer and audience against a set of keys (S-01, RFC 8725).
///
/// The verifier relies only on its own configuration: the algorithm follows from the keys, type,
/// issuer and audience are required, and nothing is fetched. The payload is parsed only after its
/// signature has been verified.
package struct TokenVerifier: Sendable {
    /// The largest token, in bytes. Ours have about 500, and 2,000 with the largest claims.
    package static let bytesMax = 4_096
    /// The accepted difference between the clocks of two machines.
    package static let leeway: Duration = .seconds(60)

    private let keys: JSONWebKeySet
    private let type: String
    private let issuer: String
    private let audience: String

    /// A verifier of tokens whose `typ` is `type`, from `issuer`, for `audience`.
    package init(keys: JSONWebKeySet, type: String, issuer: String, audience: String) {
        self.keys = keys
        self.type = type
        self.issuer = issuer
        self.audience = audience
    }

    /// The claims of a valid token that has not expired at `now`.
    /// - Throws: `.expired` one leeway after `exp`, and what `verifyExceptExpiry` throws.
    package func verify(
        _ token: String, at now: Timestamp
    ) throws(TokenRefusal) -> TokenClaims {
        let claims = try verifyExceptExpiry(token)
        guard now < claims.expiresAt + Self.leeway else { throw .expired }
        return claims
    }

    /// The claims of a valid token, expired or not: for signing out, and for the reason why a
    /// session ended. It does not authorise anything.
    /// - Throws: The reason for which the token is rejected: any `TokenRefusal` but `.expired`.
    package func verifyExceptExpiry(_ token: String) throws(TokenRefusal) -> TokenClaims {
        let token = try CompactToken(token, bytesMax: Self.bytesMax)
        guard let key = keys[try keyIdentifier(of: token)] else { throw .unknownKey }
        guard key.verifies(token.signature, of: token.message) else { throw .signature }
        return try claims(in: token.payload)
    }

    /// Checks a header: the algorithm follows from the kind of our keys and is never the token's
    /// choice (RFC 8725, 3.1).
    /// - Returns: The `kid` of the key that should have signed the token.
    private func keyIdentifier(of token: CompactToken) throws(TokenRefusal) -> String {
        let header = token.header
        guard header["alg"] == .string(TokenSigner.algorithm) else { throw .algorithm }
        guard header["typ"] == .string(type) else { throw .type }
        try token.requireNoOwnKey()
        guard let identifier = header["kid"]?.string else { throw .unknownKey }
        return identifier
    }

    private func claims(in payload: [UInt8]) throws(TokenRefusal) -> TokenClaims {
        guard let object = TokenClaims.object(in: payload), let claims = TokenClaims(json: object)
        else { throw .claims }
        guard claims.issuer == issuer else { throw .issuer }
        guard claims.audience.contains(audience) else { throw .audience }
        return claims
    }
}

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
