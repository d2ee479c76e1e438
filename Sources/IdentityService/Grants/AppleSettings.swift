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
    /// The redirect URI of each web client id.
    package var redirects = AppleRedirects.none

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
        let redirects = AppleRedirects(returns)
        settings.require(
            redirects != nil, ["apple-redirect-uris"],
            "apple-redirect-uris takes one https URL for each client id: org.example.web=https://…")
        self.redirects = redirects ?? .none
        let url = AppleKey.place(place)
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
    /// Maximum requests to Apple that run or wait; `AppleGuard` allows fewer.
    private static let transfersMax = 2 * AppleGuard.callsMax

    /// Apple's endpoints for grants; nil without the key.
    /// - Throws: `OutboundClient.Unavailable`.
    package func makeEndpoint(
        for providers: ProvidersSettings, time: any Time, logger: Logger
    ) throws -> AppleEndpoint? {
        try key.map { key in
            AppleEndpoint(
                key: key, redirects: redirects,
                client: try OutboundClient(
                    limits: .init(
                        transfersMax: Self.transfersMax, connectionsMax: Self.transfersMax)),
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

    /// Requests to this URL carry the client secret and grants. Plain HTTP is allowed only on
    /// loopback, for tests.
    fileprivate static func place(_ text: String) -> HTTPURL? {
        HTTPURL(text, allowsPlain: true).flatMap { url in
            url.isEncrypted || ["127.0.0.1", "[::1]", "localhost"].contains(url.host) ? url : nil
        }
    }
}

/// The redirect URIs of Apple's dialog on the web and on Android, by client id (G-05).
///
/// Apple accepts a code only with the `redirect_uri` of its authorization request, if there was one
/// (RFC 6749, 4.1.3), and returns `invalid_grant` otherwise. The dialog on Apple's own devices has
/// none, and the apps there have client ids of their own. So one entry for each web client id
/// suffices, and callers need not pass the URI with each sign-in. Apple rejects a URI that is not
/// registered for the client in any case.
package struct AppleRedirects: Hashable, Sendable {
    /// No client id has a redirect URI.
    package static let none = AppleRedirects(places: [:])

    private let places: [String: String]

    private init(places: [String: String]) {
        self.places = places
    }

    /// Parses `client=https://…` entries, one for each client id; nil if an entry is malformed or a
    /// client id is repeated.
    package init?(_ entries: [String]) {
        var places: [String: String] = [:]
        for entry in entries {
            let halves = entry.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty,
                let place = HTTPURL(String(halves[1]), allowsPlain: false),
                places.updateValue(place.text, forKey: String(halves[0])) == nil
            else { return nil }
        }
        self.places = places
    }

    /// The client ids that have a redirect URI.
    package var clients: Set<String> { Set(places.keys) }

    /// The redirect URI of the app `client`, as registered at Apple; nil for none.
    func place(of client: String) -> String? { places[client] }
}
