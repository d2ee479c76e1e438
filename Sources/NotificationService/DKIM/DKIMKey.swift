package import Cryptography

/// A key that signs mails, and the selector under which the DNS publishes its public half.
package struct DKIMKey: Sendable {
    /// The algorithm and its private key.
    package enum Algorithm: Sendable {
        /// Supported by every verifier (RFC 6376, 3.3.1).
        case rsa(RSASigningKey)
        /// Short and fast, but some verifiers ignore it (RFC 8463).
        case ed25519(Ed25519SigningKey)
    }

    /// The label in the DNS name `SELECTOR._domainkey.DOMAIN`.
    package let selector: String
    /// The algorithm and its private key.
    package let algorithm: Algorithm

    /// A key under `selector`; nil when that is not a sequence of DNS labels (RFC 6376, 3.1).
    package init?(selector: String, _ algorithm: Algorithm) {
        guard MailAddress.isDomain(selector[...]) else { return nil }
        self.selector = selector
        self.algorithm = algorithm
    }

    /// The algorithm's name in the tag `a=`.
    var name: String {
        switch algorithm {
        case .rsa: "rsa-sha256"
        case .ed25519: "ed25519-sha256"
        }
    }

    /// The signature over `data`. Ed25519 signs the SHA-256 hash, so that one hash serves both
    /// algorithms (RFC 8463, 3).
    func sign(_ data: [UInt8]) throws -> [UInt8] {
        switch algorithm {
        case .rsa(let key): try key.sign(data)
        case .ed25519(let key): try key.sign(SHA256.hash(data))
        }
    }
}

/// The DNS record that an operator publishes so that verifiers find a key (RFC 6376, 3.6.1).
package struct DKIMRecord: Hashable, Sendable {
    /// The longest text in one string of a TXT record, in bytes (RFC 1035, 3.3.14).
    private static let stringBytesMax = 255

    /// The record's name.
    package let name: String
    /// The record's text, unsplit.
    package let text: String

    /// The record of `key` for mails from `domain`.
    package init(_ key: DKIMKey, domain: String) {
        name = "\(key.selector)._domainkey.\(domain)"
        switch key.algorithm {
        case .rsa(let key):
            text = "v=DKIM1; k=rsa; p=\(Base64.encode(key.publicDER))"
        case .ed25519(let key):
            text = "v=DKIM1; k=ed25519; p=\(Base64.encode(key.verifyingKey.bytes))"
        }
    }

    /// The record as a line of a zone file. A long text is split into several strings, which
    /// resolvers join.
    package var zoneLine: String {
        var strings: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            strings.append("\"\(rest.prefix(Self.stringBytesMax))\"")
            rest = rest.dropFirst(Self.stringBytesMax)
        }
        return "\(name). IN TXT ( \(strings.joined(separator: " ")) )"
    }
}
