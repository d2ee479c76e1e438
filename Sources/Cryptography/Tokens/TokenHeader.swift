/// The first part of a token, once it is found to be harmless.
struct TokenHeader {
    /// The one algorithm: it goes with the kind of our keys and is never the token's choice
    /// (RFC 8725, 3.1).
    static let algorithm = "ES256"
    /// Parameters by which a token would bring its own key.
    private static let ownKeyParameters = ["jwk", "jku", "x5u", "x5c"]

    /// The name of the key that should have signed.
    let keyIdentifier: String

    /// Checks a decoded header.
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
