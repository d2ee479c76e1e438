import Cryptography
import Logging
package import Outbound
package import ServiceRuntime

/// The operator's credentials at Google, beyond the apps' client ids (G-04): the secrets for
/// exchanging authorization codes. Without any no grant is stored, and the deletion of an account
/// revokes none.
package struct GoogleSettings: Settings {
    /// The secrets by client id.
    package var secrets = GoogleSecrets.none
    /// The redirect URI of each client id.
    package var redirects = GrantRedirects.none
    /// Where codes are exchanged.
    package var tokenURL: HTTPURL
    /// Where grants are revoked.
    package var revokeURL: HTTPURL

    /// Without secrets, at Google's URLs.
    package init() {
        guard let tokenURL = HTTPURL.ofGrants(Self.tokenText),
            let revokeURL = HTTPURL.ofGrants(Self.revokeText)
        else { preconditionFailure("two constants are URLs") }
        self.tokenURL = tokenURL
        self.revokeURL = revokeURL
    }

    /// Declares every setting and reads its value.
    package init(reading settings: inout SettingsReader) {
        self.init()
        let text = settings.secret(
            "google-client-secrets",
            reason: "Lines \"client id=secret\" of Google's console: for them codes are exchanged, "
                + "and grants are revoked with their account.")
        if let text {
            let secrets = text.withBytes { GoogleSecrets($0) }
            settings.require(
                secrets != nil, ["google-client-secrets"],
                "google-client-secrets takes one line for each client id: …=secret")
            self.secrets = secrets ?? .none
        }
        var returns: [String] = []
        settings.strings(
            "google-redirect-uris", &returns, unit: "client id=URL",
            reason: "The redirect_uri of Google's dialog by client id, as registered at Google; "
                + "postmessage for its popup. None for clients without a web dialog.")
        let redirects = GrantRedirects(returns, word: GrantRedirects.googlePopup)
        settings.require(
            redirects != nil, ["google-redirect-uris"],
            "google-redirect-uris takes one https URL, or postmessage, for each client id")
        self.redirects = redirects ?? .none
        Self.read("google-token-url", &tokenURL, Self.tokenText, &settings)
        Self.read("google-revoke-url", &revokeURL, Self.revokeText, &settings)
    }

    private static let tokenText = "https://oauth2.googleapis.com/token"
    private static let revokeText = "https://oauth2.googleapis.com/revoke"

    private static func read(
        _ name: String, _ url: inout HTTPURL, _ standard: String,
        _ settings: inout SettingsReader
    ) {
        var text = standard
        settings.string(
            name, &text, unit: "URL",
            reason: "Google's endpoint for grants; change it for tests only.")
        let given = HTTPURL.ofGrants(text)
        settings.require(
            given != nil, [name],
            "\(name) must be https without user, password and fragment, or http on loopback")
        url = given ?? url
    }
}

extension GoogleSettings {
    /// Google's endpoints for grants; nil without a secret.
    /// - Throws: `OutboundClient.Unavailable`.
    func makeEndpoint(
        for providers: ProvidersSettings, time: any Time, logger: Logger
    ) throws -> GoogleEndpoint? {
        guard !secrets.clients.isEmpty else { return nil }
        return GoogleEndpoint(
            settings: self, client: try GrantRequests.makeClient(),
            trustFile: providers.trustFile, timeout: providers.timeout, time: time, logger: logger)
    }
}

/// The secrets of the operator's clients at Google, by client id.
package struct GoogleSecrets: Hashable, Sendable {
    /// No client id has a secret.
    package static let none = GoogleSecrets(secrets: [:])
    /// Google's have 35 bytes.
    private static let secretBytesMax = 256

    private let secrets: [String: SecretBytes]

    private init(secrets: [String: SecretBytes]) {
        self.secrets = secrets
    }

    /// Parses lines `client id=secret`, one for each client id. Empty lines are ignored.
    /// - Returns: nil if there is no such line, one is malformed, or a client id is repeated.
    package init?(_ text: some Collection<UInt8>) {
        var secrets: [String: SecretBytes] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let halves = line.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty,
                (1...Self.secretBytesMax).contains(halves[1].count),
                line.allSatisfy({ (0x21...0x7E).contains($0) }),
                secrets.updateValue(
                    SecretBytes(copying: halves[1]),
                    forKey: String(decoding: halves[0], as: UTF8.self)) == nil
            else { return nil }
        }
        guard !secrets.isEmpty else { return nil }
        self.secrets = secrets
    }

    /// The client ids that have a secret.
    package var clients: Set<String> { Set(secrets.keys) }

    /// The secret of the app `client`; nil for none.
    func of(_ client: String) -> SecretBytes? { secrets[client] }
}
