import Addresses
import Cryptography

/// The id of the relying party: the domain to which passkeys belong (Web Authentication Level 3,
/// section 4, "RP ID"). It is for good, since a passkey cannot move to another.
struct PasskeyRPID: Hashable, Sendable {
    /// The accepted texts, for people.
    static let expected =
        "a domain such as example.org, in lower case, without scheme and port, or localhost: "
        + "browsers take no IP address and no other single label"

    private static let local = "localhost"

    /// The domain, for example `example.org`.
    let text: String
    /// SHA-256 of it, as authenticators sign it.
    let hash: [UInt8]

    /// Parses an id. Nil for any other text than the one form of a domain, and for `127.0.0.1`, on
    /// which no browser makes a passkey.
    init?(_ text: String) {
        guard text == Self.local || DomainName(text)?.ascii == text else { return nil }
        self.text = text
        hash = SHA256.hash(text.utf8)
    }

    /// Whether passkeys of this id can be used on pages of `host`: at the domain and below it.
    ///
    /// Only for settings. Origins of responses are compared with those of the settings as whole
    /// texts (`PasskeyRelyingParty`).
    func covers(_ host: String) -> Bool { host == text || host.hasSuffix("." + text) }
}
