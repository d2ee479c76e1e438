/// A client's IP address in the form by which addresses are compared, and the networks that contain
/// it.
package struct ClientAddress: Hashable, Sendable {
    /// 4 bytes of IPv4, or 16 of IPv6, in network order.
    package let bytes: [UInt8]

    /// Parses an IPv4 address, or an IPv6 address, whose zone is left out. Nil for any other text.
    /// An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) gives its IPv4 address;
    /// otherwise one client would have two addresses.
    package init?(_ text: String) {
        // The C function would read the text only up to a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        if case .v4(let number)? = InternetAddress(text: text) {
            bytes = Self.bytes(number)
            return
        }
        guard
            case .v6(let high, let low)? = InternetAddress(text: String(text.prefix { $0 != "%" }))
        else { return nil }
        bytes = Self.unmapped(Self.bytes(high) + Self.bytes(low))
    }

    /// The address of 4 or 16 bytes in network order, with the same rule for IPv4-mapped
    /// addresses. Nil for another number of bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Self.unmapped(Array(bytes))
    }

    private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        let isMapped =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff
            && bytes[11] == 0xff
        return isMapped ? Array(bytes[12...]) : bytes
    }

    /// The first bytes of the network that contains the address.
    /// - Parameters:
    ///   - v6: bytes used of an IPv6 address: 8 for a /64, 6 for a /48.
    ///   - v4: bytes used of an IPv4 address: 4 for all of it, 3 for a /24.
    package func network(v6: Int, v4: Int) -> ArraySlice<UInt8> {
        bytes.prefix(bytes.count == 4 ? v4 : v6)
    }

    /// The network as a text: `203.0.113/24`, `20010db800010002/64`; the address alone if all bytes
    /// of an IPv4 address are used.
    package func networkText(v6: Int, v4: Int) -> String {
        let prefix = network(v6: v6, v4: v4)
        let length = prefix.count < bytes.count || bytes.count == 16 ? "/\(prefix.count * 8)" : ""
        guard bytes.count == 16 else {
            return prefix.map { "\($0)" }.joined(separator: ".") + length
        }
        return prefix.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + length
    }

    /// The address as a text that `init` parses: `192.0.2.1`, `2001:db8:0:0:0:0:0:1`.
    package var text: String {
        if bytes.count == 4 { return Self.dotted(bytes) }
        return stride(from: 0, to: bytes.count, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }.joined(separator: ":")
    }

    /// Digits are written one by one, since each call of the web service has such a text.
    private static func dotted(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(15)
        for byte in bytes {
            if !text.isEmpty { text.append(UInt8(ascii: ".")) }
            if byte >= 100 { text.append(UInt8(ascii: "0") + byte / 100) }
            if byte >= 10 { text.append(UInt8(ascii: "0") + byte / 10 % 10) }
            text.append(UInt8(ascii: "0") + byte % 10)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
