package import JSON

/// What a token in a test says: members in their order, each of which a test can change, take away,
/// or say twice.
package struct IssuedClaims: Sendable {
    /// Names and values; a name may stand there twice.
    package private(set) var members: [(name: String, value: JSONValue)]

    /// These members.
    package init(_ members: [(String, JSONValue)]) {
        self.members = members.map { (name: $0.0, value: $0.1) }
    }

    /// As Google's tokens have them: `email_verified` a boolean, and a name and a picture.
    package static func google(
        of subject: String, email: String? = nil, isVerified: Bool = true, nonce: String? = nil,
        name: String = "Ada Lovelace"
    ) -> IssuedClaims {
        var claims = IssuedClaims([
            ("sub", .string(subject)), ("name", .string(name)),
            ("picture", .string("https://lh3.example/\(subject).jpg")),
        ])
        if let email {
            claims = claims.with([
                ("email", .string(email)), ("email_verified", .boolean(isVerified)),
            ])
        }
        return nonce.map { claims.with([("nonce", .string($0))]) } ?? claims
    }

    /// As Apple's tokens have them: no name, `email_verified` as a text, and where it hides the
    /// address `is_private_email` as a text.
    package static func apple(
        of subject: String, email: String? = nil, isPrivate: Bool = false, nonce: String? = nil
    ) -> IssuedClaims {
        var claims = IssuedClaims([
            ("sub", .string(subject)), ("nonce_supported", .boolean(true)),
            ("real_user_status", .integer(2)),
        ])
        if let email {
            claims = claims.with([
                ("email", .string(email)), ("email_verified", .string("true")),
            ])
            if isPrivate { claims = claims.with([("is_private_email", .string("true"))]) }
        }
        return nonce.map { claims.with([("nonce", .string($0))]) } ?? claims
    }

    /// As Google's security events have them.
    /// - Parameters:
    ///   - type: The last part of the type: `sessions-revoked`.
    ///   - subject: Nil for an event about no person.
    ///   - issuer: `ProviderIssuer.issuer`.
    package static func googleEvent(
        _ type: String, of subject: String?, issuer: String, id: String = "jti-1"
    ) -> IssuedClaims {
        let family = ["tokens-revoked", "token-revoked"].contains(type) ? "oauth" : "risc"
        var event: JSONObject = ["state": .string("a")]
        if let subject {
            event = [
                "subject": .object([
                    "subject_type": .string("iss-sub"), "iss": .string(issuer + "/"),
                    "sub": .string(subject),
                ])
            ]
        }
        let name = "https://schemas.openid.net/secevent/\(family)/event-type/\(type)"
        return IssuedClaims([
            ("jti", .string(id)), ("events", .object([name: .object(event)])),
        ])
    }

    /// The same with these members, in the places of those of their names.
    package func with(_ changes: [(String, JSONValue)]) -> IssuedClaims {
        var changed = self
        for (name, value) in changes {
            if let place = changed.members.firstIndex(where: { $0.name == name }) {
                changed.members[place].value = value
            } else {
                changed.members.append((name, value))
            }
        }
        return changed
    }

    /// The same without members of this name.
    package func without(_ name: String) -> IssuedClaims {
        var changed = self
        changed.members.removeAll { $0.name == name }
        return changed
    }

    /// The same with one more member at the end, though its name be there already.
    package func adding(_ name: String, _ value: JSONValue) -> IssuedClaims {
        var changed = self
        changed.members.append((name, value))
        return changed
    }

    /// As JSON.
    package var text: String {
        "{"
            + members.map { String(JSONWriter.text([$0.name: $0.value]).dropFirst().dropLast()) }
            .joined(separator: ",") + "}"
    }
}
