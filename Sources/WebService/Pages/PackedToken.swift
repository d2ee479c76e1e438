import Cryptography

/// An access token in as few bytes as it has without base64url: those of its three parts. The cookie
/// of a page is encoded once more, and with the largest claims of an account and of the operator
/// (`AccountClaims.bytesMax`, `ExtraClaims.bytesMax`) it would be longer than browsers keep.
///
///     0, the text                                             any token
///     1, two lengths of two bytes, the bytes of all parts     three parts of strict base64url
enum PackedToken {
    private static let dot = UInt8(ascii: ".")
    private static let partsCount = 3
    private static let headBytes = 5

    /// The packed form of a token.
    static func bytes(of token: String) -> [UInt8] {
        let parts = token.utf8.split(separator: dot, omittingEmptySubsequences: false)
            .map { Base64URL.decode($0) }
        let decoded = parts.compactMap(\.self)
        guard parts.count == partsCount, decoded.count == partsCount,
            let head = UInt16(exactly: decoded[0].count),
            let payload = UInt16(exactly: decoded[1].count)
        else { return [0] + token.utf8 }
        let packed =
            [1, UInt8(head >> 8), UInt8(head & 0xFF), UInt8(payload >> 8), UInt8(payload & 0xFF)]
            + decoded.joined()
        return text(packed[...]) == token ? packed : [0] + token.utf8
    }

    /// The token of what `bytes` returned; nil for anything else.
    static func text(_ packed: ArraySlice<UInt8>) -> String? {
        let bytes = Array(packed)
        switch bytes.first {
        case 0: return String(validating: bytes.dropFirst(), as: UTF8.self)
        case 1 where bytes.count >= headBytes:
            let head = Int(bytes[1]) << 8 | Int(bytes[2])
            let payload = Int(bytes[3]) << 8 | Int(bytes[4])
            let rest = bytes.dropFirst(headBytes)
            guard rest.count >= head + payload else { return nil }
            return [
                rest.prefix(head), rest.dropFirst(head).prefix(payload),
                rest.dropFirst(head + payload),
            ].map { Base64URL.encode($0) }.joined(separator: ".")
        default: return nil
        }
    }
}
