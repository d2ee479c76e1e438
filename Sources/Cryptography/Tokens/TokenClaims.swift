import JSON
package import ServiceRuntime

/// The claims of an access token (RFC 7519, RFC 9068; `amr` RFC 8176). Times in a token are whole
/// seconds; fractions are dropped.
package struct TokenClaims: Hashable, Sendable {
    /// `iss`: the issuer.
    package var issuer: String
    /// `sub`: the subject, an account's id.
    package var subject: String
    /// `aud`: the audience.
    package var audience: [String]
    /// `exp`: when the token expires.
    package var expiresAt: Timestamp
    /// `iat`: when the token was issued.
    package var issuedAt: Timestamp
    /// `sid`: the token's session.
    package var sessionID: String?
    /// `amr`: the methods by which the user authenticated.
    package var methods: [String]
    /// `auth_time`: when the user authenticated.
    package var authenticatedAt: Timestamp?
    /// `jti`: the token's id.
    package var identifier: String?
    /// `ctr`, a private claim: the counter of the refresh token that was issued with this token. A
    /// client that uses this token has received that refresh token.
    package var counter: Int64?
    /// The claims that an operator's rule adds. Written, but not read back.
    package var extra: ExtraClaims?

    /// The claims of a token. Those that are optional in a token may be omitted.
    package init(
        issuer: String, subject: String, audience: [String], expiresAt: Timestamp,
        issuedAt: Timestamp, sessionID: String? = nil, methods: [String] = [],
        authenticatedAt: Timestamp? = nil, identifier: String? = nil, counter: Int64? = nil,
        extra: ExtraClaims? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.sessionID = sessionID
        self.methods = methods
        self.authenticatedAt = authenticatedAt
        self.identifier = identifier
        self.counter = counter
        self.extra = extra
    }
}

extension TokenClaims {
    /// The largest time that a claim may contain, in seconds: the end of the year 9999, which does
    /// not overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    /// The claims as a token's payload.
    var json: JSONObject {
        var object: JSONObject = [
            "iss": .string(issuer), "sub": .string(subject),
            "aud": audience.count == 1
                ? .string(audience[0]) : .array(audience.map(JSONValue.string)),
            "exp": .integer(expiresAt.seconds), "iat": .integer(issuedAt.seconds),
        ]
        if let sessionID { _ = object.add("sid", .string(sessionID)) }
        if !methods.isEmpty { _ = object.add("amr", .array(methods.map(JSONValue.string))) }
        if let authenticatedAt {
            _ = object.add("auth_time", .integer(authenticatedAt.seconds))
        }
        if let identifier { _ = object.add("jti", .string(identifier)) }
        if let counter { _ = object.add("ctr", .integer(counter)) }
        for member in extra?.object.members ?? [] { _ = object.add(member.name, member.value) }
        return object
    }

    /// Parses the claims of a payload. Nil when a required claim is missing or a claim has a wrong
    /// type.
    init?(json: JSONObject) {
        guard let issuer = json["iss"]?.string, let subject = json["sub"]?.string,
            let audience = json["aud"].flatMap({ $0.string.map { [$0] } ?? $0.strings }),
            let expiresAt = json["exp"].flatMap(Self.moment),
            let issuedAt = json["iat"].flatMap(Self.moment),
            let sessionID = Self.optional(json["sid"], \.string),
            let methods = Self.optional(json["amr"], \.strings),
            let authenticatedAt = Self.optional(json["auth_time"], Self.moment),
            let identifier = Self.optional(json["jti"], \.string),
            let counter = Self.optional(json["ctr"], \.integer)
        else { return nil }
        self.init(
            issuer: issuer, subject: subject, audience: audience, expiresAt: expiresAt,
            issuedAt: issuedAt, sessionID: sessionID, methods: methods ?? [],
            authenticatedAt: authenticatedAt, identifier: identifier, counter: counter)
    }

    private static func moment(_ value: JSONValue) -> Timestamp? {
        guard let seconds = value.integer, (0...secondsMax).contains(seconds) else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    /// Nil when the claim is present but invalid, `.some(nil)` when it is absent.
    private static func optional<Value>(
        _ claim: JSONValue?, _ read: (JSONValue) -> Value?
    ) -> Value?? {
        guard let claim else { return .some(nil) }
        return read(claim).map(Optional.some)
    }
}

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
