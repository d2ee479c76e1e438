import Cryptography

/// Which version of a document a response has (RFC 9110, 8.8.3): a hash of its bytes, or a name
/// that no other bytes have, so that all instances give it the same tag.
struct EntityTag: Hashable, Sendable {
    /// With its quotes, as in the field `ETag`.
    let text: String

    init(of document: some Collection<UInt8>) {
        text = "\"\(Base64URL.encode(SHA256.hash(document)))\""
    }

    /// - Parameter name: letters, digits, `-` and `_`.
    init(ofUnique name: String) {
        text = "\"\(name)\""
    }

    /// Whether a field `If-None-Match` names this version, so that the client has it already
    /// (RFC 9110, 13.1.2).
    func isIn(_ field: String?) -> Bool {
        guard let field else { return false }
        return field.split { ", \t".contains($0) }.contains { tag in
            tag == "*" || tag == text || tag == "W/\(text)"
        }
    }
}
