import JSON

/// The header of a token, after its checks.
struct TokenHeader {
    /// The only algorithm. It follows from the kind of our keys and is never the token's choice
    /// (RFC 8725, 3.1).
    static let algorithm = "ES256"
    /// Header parameters by which a token would provide its own key.
    private static let ownKeyParameters = ["jwk", "jku", "x5u", "x5c"]

    /// The `kid` of the key that should have signed the token.
    let keyIdentifier: String

    /// Parses and checks a decoded header.
    /// - Throws: `.malformed`, `.algorithm`, `.type`, `.critical`, `.ownKey`, `.unknownKey` for a
    ///   missing `kid`.
    init(_ bytes: [UInt8], type: String) throws(TokenRefusal) {
        guard let header = JSONReader.object(in: bytes) else { throw .malformed }
        guard header["alg"] == .string(Self.algorithm) else { throw .algorithm }
        guard header["typ"] == .string(type) else { throw .type }
        guard header["crit"] == nil else { throw .critical }
        guard Self.ownKeyParameters.allSatisfy({ header[$0] == nil }) else { throw .ownKey }
        guard let identifier = header["kid"]?.string else { throw .unknownKey }
        keyIdentifier = identifier
    }
}
