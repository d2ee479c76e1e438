import JSON

/// A JSON Web Signature in compact form (RFC 7515), split and decoded. Nothing in it is trusted
/// yet.
package struct CompactToken: Sendable {
    /// Header parameters by which a token would provide its own key.
    private static let ownKeyParameters = ["jwk", "jku", "x5u", "x5c"]

    /// The decoded header.
    let header: JSONObject
    /// The part that is signed.
    let message: [UInt8]
    /// The decoded payload.
    package let payload: [UInt8]
    /// The decoded signature.
    let signature: [UInt8]

    /// Splits and decodes a token of at most `bytesMax` bytes.
    /// - Throws: `.tooLong`, `.malformed`.
    package init(_ text: String, bytesMax: Int) throws(TokenRefusal) {
        guard text.utf8.count <= bytesMax else { throw .tooLong }
        let bytes = Array(text.utf8)
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]),
            let header = JSONReader.object(in: head), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .malformed }
        self.header = header
        message = Array(bytes.prefix(parts[0].count + 1 + parts[1].count))
        self.payload = payload
        self.signature = signature
    }

    /// Rejects a header with an extension, and one that provides its own key (RFC 8725).
    /// - Throws: `.critical`, `.ownKey`.
    func requireNoOwnKey() throws(TokenRefusal) {
        guard header["crit"] == nil else { throw .critical }
        guard Self.ownKeyParameters.allSatisfy({ header[$0] == nil }) else { throw .ownKey }
    }
}
