/// A network of IP addresses in CIDR notation (RFC 4632): `10.0.0.0/8`, `2001:db8::/32`. A single
/// address is a network too.
package struct AddressNetwork: Hashable, Sendable {
    private let bytes: [UInt8]
    private let prefixBits: Int

    /// Parses a network. Nil for any other text, and for one that has bits after its prefix:
    /// `10.0.0.1/8` is a mistake, and which one cannot be known.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, !first.contains("%"),
            let address = ClientAddress(String(first))
        else { return nil }
        bytes = address.bytes
        let bitsMax = bytes.count * 8
        if parts.count == 2 {
            guard let bits = Self.decimal(parts[1]), bits <= bitsMax else { return nil }
            // `::ffff:10.0.0.0/104` would count the bits of another form of the address.
            guard bitsMax == 128 || !first.contains(":") else { return nil }
            prefixBits = bits
        } else {
            prefixBits = bitsMax
        }
        guard Self.masked(bytes, prefixBits) == bytes else { return nil }
    }

    /// Whether `address` belongs to the network.
    package func contains(_ address: ClientAddress) -> Bool {
        address.bytes.count == bytes.count && Self.masked(address.bytes, prefixBits) == bytes
    }

    private static func decimal(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(text)
    }

    /// The bytes with zeros after the first `bits` bits.
    private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, bits - index * 8))
            return byte & UInt8(truncatingIfNeeded: 0xff00 >> kept)
        }
    }
}
