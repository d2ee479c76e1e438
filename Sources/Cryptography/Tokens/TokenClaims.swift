package import JSON
package import ServiceRuntime

/// The claims of an access token (RFC 7519, RFC 9068; `amr` RFC 8176, `acr` RFC 9470). Times in a
/// token are whole seconds; fractions are dropped.
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
    /// `acr`: how strongly the user has authenticated in the session.
    package var assurance: String?
    /// `auth_time`: when the user authenticated.
    package var authenticatedAt: Timestamp?
    /// `jti`: the token's id.
    package var identifier: String?
    /// `ctr`, a private claim: the counter of the refresh token that was issued with this token. A
    /// client that uses this token has received that refresh token.
    package var counter: Int64?
    /// `roles`: what the app's backend lets the account do (RFC 9068, 2.2.3.1).
    package var roles: [String]
    /// The claims without a meaning here: the app's backend has attached them to the account. In a
    /// token that was read, those of the operator's rule too.
    package var custom: JSONObject
    /// The claims that an operator's rule adds. Written, and read back as `custom`.
    package var extra: ExtraClaims?

    /// The claims of a token. Those that are optional in a token may be omitted.
    package init(
        issuer: String, subject: String, audience: [String], expiresAt: Timestamp,
        issuedAt: Timestamp, sessionID: String? = nil, methods: [String] = [],
        assurance: String? = nil, authenticatedAt: Timestamp? = nil, identifier: String? = nil,
        counter: Int64? = nil, roles: [String] = [], custom: JSONObject = JSONObject(),
        extra: ExtraClaims? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiresAt = expiresAt
        self.issuedAt = issuedAt
        self.sessionID = sessionID
        self.methods = methods
        self.assurance = assurance
        self.authenticatedAt = authenticatedAt
        self.identifier = identifier
        self.counter = counter
        self.roles = roles
        self.custom = custom
        self.extra = extra
    }
}

extension TokenClaims {
    /// The name of `roles` in a payload.
    package static let rolesName = "roles"
    /// The deepest nesting of a payload. Claims from imports may be that deep.
    package static let depthMax = 16
    /// The largest number of members of a payload: our own, those of the operator's rule, and those
    /// of an account, `JSONReader.membersMax` each.
    private static let membersMax = 160

    /// The members of a token's payload, whatever they are. Nil for anything else.
    package static func object(in payload: [UInt8]) -> JSONObject? {
        JSONReader.object(in: payload, depthMax: depthMax, membersMax: membersMax)
    }

    /// The largest time that a claim may contain, in seconds: the end of the year 9999, which does
    /// not overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    /// The claims as a token's payload. Of equal names our own comes first, then the operator's, then
    /// the account's: whatever an account has, it is no `sub`.
    var json: JSONObject {
        var object: JSONObject = [
            "iss": .string(issuer), "sub": .string(subject),
            "aud": audience.count == 1
                ? .string(audience[0]) : .array(audience.map(JSONValue.string)),
            "exp": .integer(expiresAt.seconds), "iat": .integer(issuedAt.seconds),
        ]
        if let sessionID { _ = object.add("sid", .string(sessionID)) }
        if !methods.isEmpty { _ = object.add("amr", .array(methods.map(JSONValue.string))) }
        if let assurance { _ = object.add("acr", .string(assurance)) }
        if let authenticatedAt {
            _ = object.add("auth_time", .integer(authenticatedAt.seconds))
        }
        if let identifier { _ = object.add("jti", .string(identifier)) }
        if let counter { _ = object.add("ctr", .integer(counter)) }
        for member in extra?.object.members ?? [] { _ = object.add(member.name, member.value) }
        if !roles.isEmpty {
            _ = object.add(Self.rolesName, .array(roles.map(JSONValue.string)))
        }
        // A guest's token has no `acr`, for example, and none of its account's either.
        for member in custom.members where !ExtraClaims.reserved.contains(member.name) {
            _ = object.add(member.name, member.value)
        }
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
            let assurance = Self.optional(json["acr"], \.string),
            let authenticatedAt = Self.optional(json["auth_time"], Self.moment),
            let identifier = Self.optional(json["jti"], \.string),
            let counter = Self.optional(json["ctr"], \.integer)
        else { return nil }
        self.init(
            issuer: issuer, subject: subject, audience: audience, expiresAt: expiresAt,
            issuedAt: issuedAt, sessionID: sessionID, methods: methods ?? [],
            assurance: assurance, authenticatedAt: authenticatedAt, identifier: identifier,
            counter: counter,
            // An operator's rule may use the name for something else.
            roles: json[Self.rolesName]?.strings ?? [],
            custom: JSONObject(
                unique: json.members.filter {
                    $0.name != Self.rolesName && !ExtraClaims.reserved.contains($0.name)
                }))
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
    /// 8176, RFC 9470, RFC 7800). No rule may redefine them. Attack: a rule gives each session the
    /// assurance of two proofs.
    package static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "sid", "amr", "acr", "auth_time", "azp",
        "nonce", "at_hash", "c_hash", "s_hash", "cnf", "client_id", "events", "act", "may_act",
        "ctr",
    ]

    let object: JSONObject

    /// Whether one of the claims has the name of a role's claim or of one in `custom`, which it
    /// replaces.
    package func replaces(_ custom: JSONObject, hasRoles: Bool) -> Bool {
        object.members.contains { member in
            custom[member.name] != nil || (hasRoles && member.name == TokenClaims.rolesName)
        }
    }

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
