package import JSON

/// A token of another issuer (a JSON Web Signature in compact form, RFC 7515), parsed and with a
/// checked header. Its claims are not trusted yet.
///
/// It stops these attacks before a key is looked up (RFC 8725): `none` and HMAC with a public key
/// as the secret, a key or the URL of a key in the token itself, unsupported extensions, and
/// another kind of token of the same issuer.
package struct ForeignToken: Sendable {
    /// The `kid` of the key that should have signed the token.
    package let keyIdentifier: String
    private let algorithm: SignatureAlgorithm
    private let token: CompactToken

    /// Parses a token and checks its header.
    /// - Parameters:
    ///   - bytesMax: The largest token that is parsed.
    ///   - algorithms: The algorithms that the issuer may use.
    ///   - isEvent: Whether it may also have the type of a security event token (RFC 8417, 2.3).
    /// - Throws: `.tooLong`, `.malformed`, or the reason for which the header is rejected:
    ///   `.algorithm`, `.type`, `.critical`, `.ownKey`, `.unknownKey`. `.signature` for a signature
    ///   of a wrong length.
    package init(
        _ token: String, bytesMax: Int, algorithms: Set<SignatureAlgorithm>, isEvent: Bool = false
    ) throws(TokenRefusal) {
        self.token = try CompactToken(token, bytesMax: bytesMax)
        (algorithm, keyIdentifier) = try Self.read(self.token, algorithms, isEvent: isEvent)
        guard algorithm.signatureBytes.contains(self.token.signature.count) else {
            throw .signature
        }
    }

    /// The token's claims. Verifies the signature with `key` before it parses the payload.
    /// - Throws: `.algorithm` when `key` is for another algorithm, `.signature` when it has not
    ///   signed the token, `.claims` when the payload is no JSON object.
    package func claims(signedBy key: PublishedKey) throws(TokenRefusal) -> JSONObject {
        guard key.algorithm == algorithm else { throw .algorithm }
        guard key.verifies(token.signature, of: token.message) else { throw .signature }
        guard let claims = JSONReader.object(in: token.payload) else { throw .claims }
        return claims
    }

    private static func read(
        _ token: CompactToken, _ algorithms: Set<SignatureAlgorithm>, isEvent: Bool
    ) throws(TokenRefusal) -> (SignatureAlgorithm, String) {
        let header = token.header
        guard let name = header["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name),
            algorithms.contains(algorithm)
        else { throw .algorithm }
        guard isToken(header["typ"]) || (isEvent && header["typ"] == .string(eventType)) else {
            throw .type
        }
        try token.requireNoOwnKey()
        guard let identifier = header["kid"]?.string, isIdentifier(identifier) else {
            throw .unknownKey
        }
        return (algorithm, identifier)
    }

    private static let eventType = "secevent+jwt"

    /// Issuers omit `typ`, or write JWT in upper or lower case (RFC 7519, 5.1). Any other type is
    /// another kind of token: an access token, a logout token.
    private static func isToken(_ type: JSONValue?) -> Bool {
        guard let type else { return true }
        return type.string.map { Array($0.utf8).map { $0 & 0xDF } == Array("JWT".utf8) } ?? false
    }

    /// Whether a key can have this id: printable ASCII, so that no odd id causes a fetch of the
    /// keys.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...PublishedKeySet.identifierBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
