import Addresses
import Cryptography

/// An origin at which passkeys may be used, in the one form in which browsers and Android say it.
///
///     text                                            of the id itself           related
///     https://HOST, https://HOST:PORT                 at or below the id         a domain elsewhere
///     http://localhost, http://localhost:PORT         if the id is localhost     no
///     android:apk-key-hash:BASE64URL                  yes                        no
///     14:6D:E9:83:…, 32 bytes as Play shows them      yes, as the form above     no
///     anything else: a path, upper case, a default port, an IP address, another single label,
///     http elsewhere, null, *                         no                         no
///
/// An app on iOS has the origin `https://` and the id.
struct PasskeyOrigin: Hashable, Sendable {
    /// The accepted texts, for people.
    static let expected =
        "an origin at or below passkey-rp-id such as https://app.example.org, in lower case, without "
        + "a path and a default port, http only for localhost; or for an app on Android "
        + "android:apk-key-hash:… or the SHA-256 of its signing certificate as Play shows it"
    /// The accepted texts of a related origin, for people.
    static let expectedRelated =
        "an https origin of another site than passkey-rp-id, in lower case, without a path and a "
        + "default port"

    private static let androidPrefix = "android:apk-key-hash:"

    /// The origin as it is in client data.
    let text: String

    /// Parses an origin of the relying party itself. Nil for any other text.
    init?(_ text: String, of id: PasskeyRPID) {
        if let app = Self.android(text) {
            self.text = app
        } else if let host = Self.host(text), id.covers(host) {
            self.text = text
        } else {
            return nil
        }
    }

    /// Parses an origin of another site that may use the passkeys too (Web Authentication Level 3,
    /// section 5.11). Nil for any other text.
    init?(related text: String, to id: PasskeyRPID) {
        guard text.hasPrefix("https://"), let host = Self.host(text), !id.covers(host),
            DomainName(host) != nil
        else { return nil }
        self.text = text
    }

    /// The host of a web origin. Nil for an IP address and a single label, except `localhost`.
    private static func host(_ text: String) -> String? {
        guard WebOrigin(site: text) != nil, let scheme = text.firstRange(of: "://") else {
            return nil
        }
        let host = String(text[scheme.upperBound...].prefix { $0 != ":" })
        if host == "localhost" { return host }
        return text.hasPrefix("https://") && DomainName(host)?.ascii == host ? host : nil
    }

    /// The origin of an app on Android by its signing certificate.
    private static func android(_ text: String) -> String? {
        let hash: [UInt8]?
        if text.hasPrefix(androidPrefix) {
            hash = Base64URL.decode(text.utf8.dropFirst(androidPrefix.utf8.count))
        } else {
            let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
            hash =
                pairs.allSatisfy { $0.utf8.count == 2 } ? Hex.decode(pairs.joined().utf8) : nil
        }
        guard let hash, hash.count == SHA256.byteCount else { return nil }
        return androidPrefix + Base64URL.encode(hash)
    }
}
