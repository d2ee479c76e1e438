import Glibc

/// A client's address as the bytes that it is compared by.
package enum ClientAddress {
    /// 4 bytes of IPv4, 16 of IPv6 without its zone; nil if `text` is not an address. An IPv4-mapped
    /// IPv6 address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) is its IPv4 address, or one caller would
    /// have two.
    package static func bytes(of text: String) -> [UInt8]? {
        // C would read the text up to a zero byte only.
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            return withUnsafeBytes(of: v4.s_addr) { Array($0) }
        }
        var v6 = in6_addr()
        let unscoped = String(text.prefix { $0 != "%" })
        guard inet_pton(AF_INET6, unscoped, &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        return bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
}
