import Cryptography
import JSON

/// The tokens that authenticate us to Google and Apple (JWS, RFC 7515, compact form).
enum ProviderJWT {
    /// Signs a token with this header and these claims.
    /// - Throws: what `sign` throws.
    static func text(
        header: JSONObject, claims: JSONObject, sign: (String.UTF8View) throws -> [UInt8]
    ) rethrows -> String {
        let message =
            Base64URL.encode(JSONWriter.text(header).utf8) + "."
            + Base64URL.encode(JSONWriter.text(claims).utf8)
        return message + "." + Base64URL.encode(try sign(message.utf8))
    }
}
