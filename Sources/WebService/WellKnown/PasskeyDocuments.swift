import JSON

/// The documents about passkeys that browsers and password managers look for (F-01).
///
///     webauthn            the related origins at which passkeys of this domain work too (W3C Web
///                         Authentication Level 3, section 5.11). It must be served at the domain of
///                         `passkey-rp-id` itself, not below it
///     passkey-endpoints   where people add and manage passkeys (W3C Passkey Endpoints)
enum PasskeyDocuments {
    /// The names below `/.well-known/`.
    static let webauthn = "webauthn"
    static let endpoints = "passkey-endpoints"

    /// The document of related origins; nil without one.
    static func related(_ options: AppOptions) -> JSONObject? {
        guard let related = options.passkeys?.related, !related.isEmpty else { return nil }
        return ["origins": .array(related.map { .string($0) })]
    }

    /// The document of endpoints; nil where passkeys are switched off.
    /// - Parameter origin: That of the pages.
    static func management(_ options: AppOptions, at origin: String) -> JSONObject? {
        guard options.passkeys != nil else { return nil }
        let url = JSONValue.string(origin + Page.security.path)
        return ["enroll": url, "manage": url]
    }
}
