package import Cryptography
package import Logging
package import Outbound
package import ServiceRuntime

/// Who the operator is to Apple, beyond the names of the apps (G-05): the key by which Apple's
/// authorization codes are exchanged and grants revoked. Without it no grant is kept, and a deletion
/// has none to revoke.
package struct AppleSettings: Settings {
    /// The key, if it is set.
    package let key: AppleKey?
    /// Where the dialog of each app on the web ends.
    package let redirects: AppleRedirects

    /// Declares every setting and takes its value.
    package init(reading settings: inout SettingsReader) {
        let pem = settings.secret(
            "apple-key", reason: "The text of Apple's AuthKey_….p8 for Sign in with Apple.")
        let keyID = settings.optionalString(
            "apple-key-id", unit: "name", reason: "That key's name at Apple.")
        let team = settings.optionalString(
            "apple-team-id", unit: "name", reason: "Your team's name at Apple.")
        let place = settings.string(
            "apple-url", default: "https://appleid.apple.com", unit: "URL",
            reason: "Where codes are exchanged and grants revoked; another one is for tests.")
        let returns = settings.strings(
            "apple-redirect-uris", default: [], unit: "client id=URL",
            reason: "Where Apple's dialog on the web and on Android returns to, by client id, as "
                + "Apple has it.")
        let redirects = AppleRedirects(returns)
        settings.require(
            redirects != nil, ["apple-redirect-uris"],
            "apple-redirect-uris has one https URL for a client id: org.example.web=https://…")
        self.redirects = redirects ?? .none
        let url = AppleKey.place(place)
        settings.require(
            url != nil, ["apple-url"],
            "apple-url is an https URL without user, password and fragment, or http on loopback")
        guard let pem else {
            key = nil
            return
        }
        settings.require(
            AppleKey.isName(keyID) && AppleKey.isName(team), ["apple-key"],
            "apple-key needs apple-key-id and apple-team-id, ten letters and digits each")
        // What is wrong with a key is for nobody to read; that it is wrong is enough.
        let signing = try? SigningKey(pem: pem.withBytes { SecretBytes(copying: $0) })
        settings.require(
            signing != nil, ["apple-key"], "apple-key is no P-256 private key in PEM")
        guard let signing, let keyID, let team, let url else {
            key = nil
            return
        }
        key = AppleKey(key: signing, keyID: keyID, team: team, url: url)
    }
}

extension AppleSettings {
    /// Requests to Apple that run or wait; `AppleGuard` lets fewer through.
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

/// The operator's key for Sign in with Apple, and whose it is.
package struct AppleKey: Sendable {
    /// Signs our client secrets.
    let key: SigningKey
    /// Its name at Apple.
    let keyID: String
    /// The team's name at Apple.
    let team: String
    /// Where Apple's endpoints are.
    let url: HTTPURL

    /// A key, for tests and embedding.
    package init(key: SigningKey, keyID: String, team: String, url: HTTPURL) {
        self.key = key
        self.keyID = keyID
        self.team = team
        self.url = url
    }

    /// Apple's names for keys and teams.
    fileprivate static func isName(_ text: String?) -> Bool {
        guard let text else { return false }
        return text.utf8.count == 10
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Our secret and people's grants travel there: in clear only within this machine, for tests.
    fileprivate static func place(_ text: String) -> HTTPURL? {
        HTTPURL(text, allowsPlain: true).flatMap { url in
            url.isEncrypted || ["127.0.0.1", "[::1]", "localhost"].contains(url.host) ? url : nil
        }
    }
}
