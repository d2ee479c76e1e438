import Cryptography

/// The tokens by which Google and Apple know us (RFC 7515, compact form).
enum ProviderJWT {
    /// A token of these two parts, signed.
    static func text(
        header: JSONObject, claims: JSONObject, sign: (String.UTF8View) throws -> [UInt8]
    ) rethrows -> String {
        let message =
            Base64URL.encode(JSONWriter.text(header).utf8) + "."
            + Base64URL.encode(JSONWriter.text(claims).utf8)
        return message + "." + Base64URL.encode(try sign(message.utf8))
    }
}
