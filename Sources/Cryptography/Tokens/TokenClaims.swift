package import ServiceRuntime

/// What an access token says (RFC 7519, RFC 9068; `amr` RFC 8176). Moments are whole seconds in a
/// token: what is below is dropped.
package struct TokenClaims: Hashable, Sendable {
    /// `iss`: who says it.
    package var issuer: String
    /// `sub`: of whom, an account's id.
    package var subject: String
    /// `aud`: to whom.
    package var audience: [String]
    /// `exp`: until when it holds.
    package var expiresAt: Timestamp
    /// `iat`: when it was said.
    package var issuedAt: Timestamp
    /// `sid`: the session it belongs to.
    package var sessionID: String?
    /// `amr`: by what the account has proved itself.
    package var methods: [String]
    /// `auth_time`: when it did so.
    package var authenticatedAt: Timestamp?
    /// `jti`: the token's own name.
    package var identifier: String?
    /// `ctr`, ours: the counter of the refresh token that it was given with. Where it is validated,
    /// that token's answer has arrived.
    package var counter: Int64?
    /// What an operator's rule adds; written, and not read back.
    package var extra: ExtraClaims?

    /// Claims; what may be missing from a token may be left out.
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
    /// The last second that a claim may name: the end of the year 9999, far from any overflow.
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

    /// The claims of a payload; nil when one is missing that must be there, or is of a wrong kind.
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

    /// nil when the claim is there and wrong, `.some(nil)` when it is not there.
    private static func optional<Value>(
        _ claim: JSONValue?, _ read: (JSONValue) -> Value?
    ) -> Value?? {
        guard let claim else { return .some(nil) }
        return read(claim).map(Optional.some)
    }
}
