import Cryptography
package import JSON
package import ServiceRuntime

/// What the app's backend has attached to an account: roles, and further claims (I-10). Each
/// access token of the account has the members of `json`, and `roles` (RFC 9068, 2.2.3.1), if there
/// are any. Identity and session accept them by this one rule:
///
///     roles      at most 32, each once: words of a-z, 0-9 and - _ . :
///     json       an object without a name that a token has already, and without `roles`
///     together   at most 1,000 bytes, as a token has them
///
/// Attack: somebody with a backend's key gives an account the claim `acr` or `sub`, and so a session
/// of two proofs, or of another account, at every verifier.
package struct AccountClaims: Hashable, Sendable {
    /// The largest claims, in bytes: they are sent with each call, and Firebase has the same limit.
    package static let bytesMax = 1_000
    /// The most roles.
    package static let rolesMax = 32
    private static let roleMarks = "-_.:"
    private static let reserved = ExtraClaims.reserved.union([TokenClaims.rolesName])

    /// The roles, in the backend's order.
    package let roles: [String]
    /// The claims besides: the text of a JSON object without white space, with its members in the
    /// backend's order; empty for none.
    package let json: String

    /// Claims that this rule has accepted before, as they were stored.
    package init(roles: [String] = [], json: String = "") {
        self.roles = roles
        self.json = json
    }

    /// Neither roles nor claims.
    package var isEmpty: Bool { roles.isEmpty && json.isEmpty }

    /// The claims of a backend's request.
    /// - Parameter text: A JSON object; may be empty.
    /// - Throws: `rpc/invalid-argument` with the field, `roles` or `claims_json`.
    package static func checked(
        roles: [String], json text: String
    ) throws(ServiceError) -> AccountClaims {
        guard areRoles(roles) else { throw ServiceError(.invalidArgument, fields: ["roles"]) }
        // A larger integer would be another number in the token.
        guard let json = canonical(text, refusesLargeIntegers: true),
            let claims = AccountClaims(roles, json)
        else { throw ServiceError(.invalidArgument, fields: ["claims_json"]) }
        return claims
    }

    /// The claims in a message of identity; nil for what it would not send.
    package init?(sent roles: [String], json text: String) {
        guard Self.areRoles(roles),
            let json = Self.canonical(text, refusesLargeIntegers: false),
            let claims = AccountClaims(roles, json)
        else { return nil }
        self = claims
    }

    /// The claims of an account of another system, which did not have our names.
    /// - Returns: The claims, and how many members were left out for their names; nil for a text
    ///   that is no such object.
    package static func imported(
        roles: [String] = [], json text: String
    ) -> (claims: AccountClaims, leftOut: Int)? {
        guard areRoles(roles), let json = canonical(text, refusesLargeIntegers: false)
        else { return nil }
        let members = object(json).members
        let kept = members.filter { isName($0.name) }
        let claims = AccountClaims(roles: roles, json: self.text(JSONObject(unique: kept)))
        return claims.size <= bytesMax ? (claims, members.count - kept.count) : nil
    }

    /// The members of `json`; none for a text that is no JSON.
    package var object: JSONObject { Self.object(json) }

    /// Nil for a reserved name, and for too many bytes.
    private init?(_ roles: [String], _ json: String) {
        self.init(roles: roles, json: json)
        guard object.members.allSatisfy({ Self.isName($0.name) }), size <= Self.bytesMax
        else { return nil }
    }

    /// Their bytes in a token: of the object, with the roles as one more member.
    private var size: Int {
        var members = object
        if !roles.isEmpty {
            _ = members.add(TokenClaims.rolesName, .array(roles.map(JSONValue.string)))
        }
        return Self.text(members).utf8.count
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && !reserved.contains(name)
    }

    private static func areRoles(_ roles: [String]) -> Bool {
        roles.count <= rolesMax && Set(roles).count == roles.count
            && roles.allSatisfy {
                $0.isName(1...bytesMax, [.lower, .digit], marks: roleMarks)
            }
    }

    /// The text of an object without white space and needless escapes, its numbers as they were
    /// written; empty for an empty text or object. Nil for any other text.
    private static func canonical(_ text: String, refusesLargeIntegers: Bool) -> String? {
        if text.isEmpty { return "" }
        let bytes = Array(text.utf8)
        let options = JSONReader.Options(
            depthMax: TokenClaims.depthMax, refusesLargeIntegers: refusesLargeIntegers)
        // `try?`: a caller learns which field it is, and the reason is in RFC 8259.
        guard bytes.count <= bytesMax, (try? JSONReader.value(in: bytes, options))?.object != nil
        else { return nil }
        return self.text(object(text))
    }

    private static func object(_ text: String) -> JSONObject {
        if text.isEmpty { return JSONObject() }
        let options = JSONReader.Options(
            depthMax: TokenClaims.depthMax, retainsNumberTexts: true)
        return (try? JSONReader.value(in: Array(text.utf8), options))?.object ?? JSONObject()
    }

    private static func text(_ object: JSONObject) -> String {
        object.members.isEmpty ? "" : JSONWriter.text(.object(object), .canonical)
    }
}
