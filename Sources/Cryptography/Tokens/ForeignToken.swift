/// A token of somebody else's issuer (a JSON Web Signature in compact form, RFC 7515): taken apart,
/// its header found harmless, nothing that it says believed yet.
///
/// Attacks it stops before any key is looked for (RFC 8725): `none` and HMAC under a public key, a
/// key or a key's address in the token itself, extensions that we do not do, another kind of token
/// of the same issuer.
package struct ForeignToken: Sendable {
    /// Parameters by which a token would bring its own key.
    private static let ownKeyParameters = ["jwk", "jku", "x5u", "x5c"]

    /// The name of the key that should have signed.
    package let keyIdentifier: String
    private let algorithm: SignatureAlgorithm
    private let message: [UInt8]
    private let payload: [UInt8]
    private let signature: [UInt8]

    /// Takes a token apart.
    /// - Parameters:
    ///   - bytesMax: a longer one is not looked at.
    ///   - algorithms: by which its issuer may sign.
    package init(
        _ token: String, bytesMax: Int, algorithms: Set<SignatureAlgorithm>
    ) throws(TokenRefusal) {
        guard token.utf8.count <= bytesMax else { throw .tooLong }
        let bytes = Array(token.utf8)
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]),
            let header = JSONReader.object(in: head), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        (algorithm, keyIdentifier) = try Self.read(header, algorithms)
        guard algorithm.signatureBytes.contains(signature.count) else { throw .signature }
        message = Array(bytes.prefix(parts[0].count + 1 + parts[1].count))
        self.payload = payload
        self.signature = signature
    }

    /// What the token says, if `key` has signed it. Its payload is not looked at before.
    package func claims(signedBy key: PublishedKey) throws(TokenRefusal) -> JSONObject {
        guard key.algorithm == algorithm else { throw .algorithm }
        guard key.verifies(signature, of: message) else { throw .signature }
        guard let claims = JSONReader.object(in: payload) else { throw .claims }
        return claims
    }

    private static func read(
        _ header: JSONObject, _ algorithms: Set<SignatureAlgorithm>
    ) throws(TokenRefusal) -> (SignatureAlgorithm, String) {
        guard let name = header["alg"]?.string, let algorithm = SignatureAlgorithm(rawValue: name),
            algorithms.contains(algorithm)
        else { throw .algorithm }
        guard isToken(header["typ"]) else { throw .type }
        guard header["crit"] == nil else { throw .critical }
        guard ownKeyParameters.allSatisfy({ header[$0] == nil }) else { throw .ownKey }
        guard let identifier = header["kid"]?.string, isIdentifier(identifier) else {
            throw .unknownKey
        }
        return (algorithm, identifier)
    }

    /// Issuers leave `typ` out, or write JWT in letters of either case (RFC 7519, 5.1). Anything
    /// else is another kind of token: an access token, a logout token.
    private static func isToken(_ type: JSONValue?) -> Bool {
        guard let type else { return true }
        return type.string.map { Array($0.utf8).map { $0 & 0xDF } == Array("JWT".utf8) } ?? false
    }

    /// A name that a key can have: printable ASCII, so that no odd one leads to a fetch.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...PublishedKeySet.identifierBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
