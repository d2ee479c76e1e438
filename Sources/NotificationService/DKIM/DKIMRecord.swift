import Cryptography

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
