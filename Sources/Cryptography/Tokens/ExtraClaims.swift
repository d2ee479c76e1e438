import JSON

/// Claims that an operator's rule adds to every access token (S-01) for the backends that read the
/// token: `{"tenant":"blue","region":"eu"}`.
package struct ExtraClaims: Hashable, Sendable {
    /// The largest rule, in bytes. It is sent with every call that carries a token.
    package static let bytesMax = 512

    /// Names with a meaning for this system or for verifiers (RFC 7519 section 4.1, RFC 9068, RFC
    /// 8176, RFC 7800). No rule may redefine them.
    package static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "amr", "acr", "auth_time", "azp",
        "nonce", "at_hash", "c_hash", "s_hash", "cnf", "client_id", "events", "act", "may_act",
        "ctr",
    ]

    let object: JSONObject

    /// Parses the claims from a JSON object.
    /// - Returns: Nil for anything else, for an oversized text, and for a reserved name.
    package init?(json text: String) {
        guard text.utf8.count <= Self.bytesMax,
            let object = JSONReader.object(in: Array(text.utf8)),
            object.members.allSatisfy({ !Self.reserved.contains($0.name) && !$0.name.isEmpty })
        else { return nil }
        self.object = object
    }
}
