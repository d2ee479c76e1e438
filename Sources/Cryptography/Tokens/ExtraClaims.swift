/// Claims that an operator's rule adds to every access token (S-01), for the backends that read
/// them: `{"tenant":"blue","region":"eu"}`.
package struct ExtraClaims: Hashable, Sendable {
    /// The longest rule, in bytes: it travels with every call that bears a token.
    package static let bytesMax = 512

    /// Names that have a meaning for us or for verifiers (RFC 7519 section 4.1, RFC 9068, RFC 8176,
    /// RFC 7800), which no rule may give another.
    package static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "amr", "acr", "auth_time", "azp",
        "nonce", "at_hash", "c_hash", "s_hash", "cnf", "client_id", "events", "act", "may_act",
        "ctr",
    ]

    let object: JSONObject

    /// The claims that a JSON object names.
    /// - Returns: nil for anything else, for what is too long, and for a reserved name.
    package init?(json text: String) {
        guard text.utf8.count <= Self.bytesMax,
            let object = JSONReader.object(in: Array(text.utf8)),
            object.members.allSatisfy({ !Self.reserved.contains($0.name) && !$0.name.isEmpty })
        else { return nil }
        self.object = object
    }
}
