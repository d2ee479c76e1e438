import JSON
package import ServiceRuntime

/// Verifies tokens of one type, issuer and audience against a set of keys (S-01, RFC 8725).
///
/// The verifier relies only on its own configuration: the algorithm follows from the keys, type,
/// issuer and audience are required, and nothing is fetched. The payload is parsed only after its
/// signature has been verified.
package struct TokenVerifier: Sendable {
    /// The largest token, in bytes. Ours have about 500.
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
        guard token.utf8.count <= Self.bytesMax else { throw .tooLong }
        let parts = token.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Base64URL.decode(parts[0]),
            let payload = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        let header = try TokenHeader(headerBytes, type: type)
        guard let key = keys[header.keyIdentifier] else { throw .unknownKey }
        let message = token.utf8.prefix(parts[0].count + 1 + parts[1].count)
        guard key.verifies(signature, of: message) else { throw .signature }
        return try claims(in: payload)
    }

    private func claims(in payload: [UInt8]) throws(TokenRefusal) -> TokenClaims {
        guard let object = JSONReader.object(in: payload), let claims = TokenClaims(json: object)
        else { throw .claims }
        guard claims.issuer == issuer else { throw .issuer }
        guard claims.audience.contains(audience) else { throw .audience }
        return claims
    }
}
