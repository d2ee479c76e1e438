import Contracts
import JSON

/// The document of RFC 8414 (OAuth 2.0 Authorization Server Metadata), also served where OpenID
/// Connect Discovery looks for it. It exists so that JWT libraries find the keys by the issuer.
/// Postern has no authorization endpoint: apps sign in by its own calls, so that no response type
/// and no grant type is listed.
enum ServerMetadata {
    /// The document.
    /// - Parameters:
    ///   - issuer: the claim `iss` of access tokens.
    ///   - origin: the origin of this service, for example `https://auth.example.org`.
    static func document(issuer: String, origin: String) -> JSONObject {
        let clientAuthentication: JSONValue = .array([.string("private_key_jwt")])
        return [
            "issuer": .string(issuer),
            "jwks_uri": .string("\(origin)/.well-known/jwks.json"),
            "introspection_endpoint": .string("\(origin)/oauth2/introspect"),
            "introspection_endpoint_auth_methods_supported": clientAuthentication,
            "introspection_endpoint_auth_signing_alg_values_supported": .array([.string("EdDSA")]),
            "revocation_endpoint": .string("\(origin)/oauth2/revoke"),
            "revocation_endpoint_auth_methods_supported": .array([
                .string("none"), .string("private_key_jwt"),
            ]),
            "revocation_endpoint_auth_signing_alg_values_supported": .array([.string("EdDSA")]),
            "response_types_supported": .array([]),
            "grant_types_supported": .array([]),
            "subject_types_supported": .array([.string("public")]),
            "id_token_signing_alg_values_supported": .array([.string("ES256")]),
            "acr_values_supported": .array(Assurance.allCases.map { .string($0.rawValue) }),
        ]
    }
}
