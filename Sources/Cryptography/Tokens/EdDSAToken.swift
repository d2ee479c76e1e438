package import JSON

/// JSON Web Signatures in compact form (RFC 7515) by Ed25519 keys (RFC 8037): tokens of
/// applications, and statements about audit trails.
package enum EdDSAToken {
    /// The only `alg`.
    static let algorithm = "EdDSA"

    /// A signed token with `claims`. A token of the same claims is the same text each time.
    /// - Parameters:
    ///   - type: `typ`. Each kind of token has its own, so that no kind can be used in place of
    ///     another (RFC 8725, 3.11).
    ///   - keyIdentifier: `kid`.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package static func sign(
        _ claims: JSONObject, type: String, keyIdentifier: String, key: Ed25519SigningKey
    ) throws -> String {
        let header: JSONObject = [
            "alg": .string(algorithm), "typ": .string(type), "kid": .string(keyIdentifier),
        ]
        let message =
            Base64URL.encode(JSONWriter.text(header).utf8) + "."
            + Base64URL.encode(JSONWriter.text(claims).utf8)
        return message + "." + Base64URL.encode(try key.sign(message.utf8))
    }

    /// The claims of a token of `type` that `key` has signed. The payload is parsed only after its
    /// signature has been verified; `kid` is not looked at, since the caller knows the key.
    /// - Throws: `.tooLong`, `.malformed`, `.critical`, `.ownKey`, `.algorithm`, `.type`,
    ///   `.signature`, `.claims`.
    package static func claims(
        of text: String, type: String, key: Ed25519VerifyingKey
    ) throws(TokenRefusal) -> JSONObject {
        let token = try CompactToken(text, bytesMax: TokenVerifier.bytesMax)
        try token.requireNoOwnKey()
        guard token.header["alg"] == .string(algorithm) else { throw .algorithm }
        guard token.header["typ"] == .string(type) else { throw .type }
        guard key.verifies(token.signature, of: token.message) else { throw .signature }
        guard let claims = JSONReader.object(in: token.payload) else { throw .claims }
        return claims
    }
}
