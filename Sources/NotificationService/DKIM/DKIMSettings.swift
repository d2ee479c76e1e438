import Cryptography
import ServiceRuntime

/// Settings of DKIM signing. Without a key mails are not signed.
package struct DKIMSettings: Sendable {
    /// The signing domain; nil when mails are not signed.
    package let domain: String?
    /// The keys, each under its selector.
    package let keys: [DKIMKey]

    /// The signer; nil when mails are not signed.
    var signer: DKIMSigner? {
        guard let domain, !keys.isEmpty else { return nil }
        return DKIMSigner(domain: domain, keys: keys)
    }

    /// The records that the DNS must have.
    package var records: [DKIMRecord] {
        guard let domain else { return [] }
        return keys.map { DKIMRecord($0, domain: domain) }
    }

    init(reading settings: inout SettingsReader, senderDomain: String) {
        let given = settings.optionalString(
            "dkim-domain", unit: "domain",
            reason:
                "The signing domain; by default the sender's. `postern mail dns` shows the records."
        )
        let domain = given ?? senderDomain
        let rsa = Self.key(
            &settings, "rsa", default: "postern", example: "openssl genrsa 2048"
        ) { .rsa(try RSASigningKey(file: $0)) }
        let ed25519 = Self.key(
            &settings, "ed25519", default: "postern-ed25519",
            example: "openssl genpkey -algorithm ed25519"
        ) { .ed25519(try Ed25519SigningKey(file: $0)) }
        keys = [rsa, ed25519].compactMap(\.self)
        self.domain = keys.isEmpty ? nil : domain
        // DMARC (RFC 7489, 3.1.1) requires that the signing domain be aligned with the sender's.
        settings.require(
            Self.covers(domain, senderDomain), ["dkim-domain", "sender-address"],
            "dkim-domain must be sender-address's domain, or one above it")
        settings.require(
            Set(keys.map(\.selector)).count == keys.count,
            ["dkim-rsa-selector", "dkim-ed25519-selector"], "each key needs a selector of its own")
    }

    private static func key(
        _ settings: inout SettingsReader, _ kind: String, default selector: String,
        example: String, read: (String) throws -> DKIMKey.Algorithm
    ) -> DKIMKey? {
        let (keyName, selectorName) = ("dkim-\(kind)-key", "dkim-\(kind)-selector")
        let path = settings.optionalPath(
            keyName, reason: "A PEM private key that signs mails, for example from `\(example)`.")
        var selector = selector
        settings.string(
            selectorName, &selector, unit: "name",
            reason: "The selector, as in NAME._domainkey.DOMAIN.")
        guard let path else { return nil }
        do {
            let key = DKIMKey(selector: selector, try read(path))
            settings.require(
                key != nil, [selectorName], "\(selectorName) must be a DNS name")
            return key
        } catch {
            settings.require(false, [keyName], "\(error)")
            return nil
        }
    }

    private static func covers(_ domain: String, _ sender: String) -> Bool {
        let (domain, sender) = (domain.lowercased(), sender.lowercased())
        return sender == domain || sender.hasSuffix(".\(domain)")
    }
}
