package import Cryptography
package import Logging
package import Outbound
package import ServiceRuntime

/// The operator's credentials at Apple, beyond the apps' client ids (G-05): the key for exchanging
/// authorization codes and revoking grants. Without it no grant is stored, and the deletion of an
/// account revokes none.
package struct AppleSettings: Settings {
    /// The key, if it is configured.
    package var key: AppleKey?
    /// The redirect URI of each client id of a web dialog.
    package var redirects = GrantRedirects.none

    /// Without the key.
    package init() {}

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        let pem = settings.secret(
            "apple-key", reason: "The contents of Apple's AuthKey_….p8 for Sign in with Apple.")
        let keyID = settings.optionalString(
            "apple-key-id", unit: "name", reason: "The key id at Apple.")
        let team = settings.optionalString(
            "apple-team-id", unit: "name", reason: "The team id at Apple.")
        var place = "https://appleid.apple.com"
        settings.string(
            "apple-url", &place, unit: "URL",
            reason: "Base URL of Apple's token and revocation endpoints; change it for tests only.")
        var returns: [String] = []
        settings.strings(
            "apple-redirect-uris", &returns, unit: "client id=URL",
            reason: "The redirect_uri of Apple's dialog on the web and on Android by client id, "
                + "as registered at Apple.")
        let redirects = GrantRedirects(returns)
        settings.require(
            redirects != nil, ["apple-redirect-uris"],
            "apple-redirect-uris takes one https URL for each client id: org.example.web=https://…")
        self.redirects = redirects ?? .none
        let url = HTTPURL.ofGrants(place)
        settings.require(
            url != nil, ["apple-url"],
            "apple-url must be https without user, password and fragment, or http on loopback")
        guard let pem else { return }
        settings.require(
            AppleKey.isName(keyID) && AppleKey.isName(team), ["apple-key"],
            "apple-key needs apple-key-id and apple-team-id, ten letters and digits each")
        // `try?`: the cause is not reported, because a message about a key could reveal parts of
        // it.
        let signing = try? SigningKey(pem: pem.withBytes { SecretBytes(copying: $0) })
        settings.require(
            signing != nil, ["apple-key"], "apple-key must be a P-256 private key in PEM")
        guard let signing, let keyID, let team, let url else { return }
        key = AppleKey(key: signing, keyID: keyID, team: team, url: url)
    }
}

extension AppleSettings {
    /// Apple's endpoints for grants; nil without the key.
    /// - Throws: `OutboundClient.Unavailable`.
    package func makeEndpoint(
        for providers: ProvidersSettings, time: any Time, logger: Logger
    ) throws -> AppleEndpoint? {
        try key.map { key in
            AppleEndpoint(
                key: key, redirects: redirects,
                client: try GrantRequests.makeClient(),
                trustFile: providers.trustFile, timeout: providers.timeout, time: time,
                logger: logger)
        }
    }
}

/// The operator's key for Sign in with Apple, and its identifiers.
package struct AppleKey: Sendable {
    /// Signs the client secrets.
    let key: SigningKey
    /// The key id at Apple.
    let keyID: String
    /// The team id at Apple.
    let team: String
    /// Base URL of Apple's endpoints.
    let url: HTTPURL

    /// A key, for tests and embedding.
    package init(key: SigningKey, keyID: String, team: String, url: HTTPURL) {
        self.key = key
        self.keyID = keyID
        self.team = team
        self.url = url
    }

    /// Whether `text` has the form of Apple's key and team ids.
    fileprivate static func isName(_ text: String?) -> Bool {
        text?.isName(10...10, [.letter, .digit]) == true
    }
}
