package import ServiceRuntime

/// Checks tokens of one type, issuer and audience against a set of keys (S-01, RFC 8725).
///
/// Everything is decided by what this side knows: the algorithm goes with the keys, the type and
/// the names are demanded, nothing is fetched. The payload is not looked at before its signature.
package struct TokenVerifier: Sendable {
    /// The longest token, in bytes; ours have about 500.
    package static let bytesMax = 4_096
    /// How far two machines' clocks may be apart.
    package static let leeway: Duration = .seconds(60)

    private let keys: JSONWebKeySet
    private let type: String
    private let issuer: String
    private let audience: String

    /// A verifier for tokens whose `typ` is `type`, from `issuer`, for `audience`.
    package init(keys: JSONWebKeySet, type: String, issuer: String, audience: String) {
        self.keys = keys
        self.type = type
        self.issuer = issuer
        self.audience = audience
    }

    /// What a token says, if it is good and not expired at `now`.
    package func verify(
        _ token: String, at now: Timestamp
    ) throws(TokenRefusal) -> TokenClaims {
        let claims = try verifyExceptExpiry(token)
        guard now < claims.expiresAt + Self.leeway else { throw .expired }
        return claims
    }

    /// What a token says, if it is good, however old: for signing out, and for telling why
    /// somebody is signed out. Grants nothing.
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
