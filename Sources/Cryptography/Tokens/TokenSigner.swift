import JSON

/// Signs tokens of one type with one key: JSON Web Tokens in compact form (RFC 7519, RFC 7515).
package struct TokenSigner: Sendable {
    /// The type of access tokens (RFC 9068, 2.1).
    package static let accessTokenType = "at+jwt"

    /// The only algorithm of our tokens.
    static let algorithm = "ES256"

    private let key: SigningKey
    /// The encoded header, the same for all tokens of this signer.
    private let header: String

    /// A signer of tokens whose `typ` is `type`. Each kind of token has its own type, so that no
    /// kind can be used in place of another (RFC 8725, 3.11).
    package init(key: SigningKey, type: String) {
        self.key = key
        header = Base64URL.encode(
            JSONWriter.text([
                "alg": .string(Self.algorithm), "typ": .string(type),
                "kid": .string(key.identifier),
            ]).utf8)
    }

    /// A signed token with `claims`.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    package func sign(_ claims: TokenClaims) throws -> String {
        let message = header + "." + Base64URL.encode(JSONWriter.text(claims.json).utf8)
        return message + "." + Base64URL.encode(try key.sign(message.utf8))
    }
}
