package import Addresses

/// The networks of the proxies in front of the web service whose header fields about the client's
/// address count.
package struct TrustedProxies: Hashable, Sendable {
    /// No proxy.
    package static let none = TrustedProxies([])

    private let networks: [IPNetwork]

    /// The proxies in `networks`.
    package init(_ networks: [IPNetwork]) {
        self.networks = networks
    }

    /// Whether `address` is one of them.
    package func contains(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }
}

/// A network in CIDR notation (RFC 4632, RFC 4291 section 2.3).
package struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    /// The accepted texts, for people.
    package static let expected =
        "a network such as 10.0.0.0/8 or 2001:db8::/32, with no bits after the prefix, or an "
        + "address; not /0, which is everybody"

    /// The network's text.
    package let description: String
    private let first: [UInt8]
    private let bits: Int

    /// Parses `10.0.0.0/8`, `2001:db8::/32`, or an address alone. Nil for any other text, also for
    /// `/0`, with which every client could choose its address, and for an address with bits after
    /// the prefix, which is usually a mistyped prefix.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, !host.contains("%"), let address = ClientAddress(String(host))
        else { return nil }
        first = address.bytes
        bits = parts.count == 2 ? Self.prefix(parts[1]) ?? 0 : first.count * 8
        description = text
        guard (1...first.count * 8).contains(bits),
            (bits..<first.count * 8).allSatisfy({ first[$0 / 8] & (0x80 >> ($0 % 8)) == 0 })
        else { return nil }
    }

    /// Whether `address` is in it. An IPv4 address is in no IPv6 network.
    func contains(_ address: ClientAddress) -> Bool {
        guard address.bytes.count == first.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == first.prefix(whole) else { return false }
        return rest == 0 || (address.bytes[whole] ^ first[whole]) >> (8 - rest) == 0
    }

    private static func prefix(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } && text.utf8.count <= 3 ? Int(text) : nil
    }
}
