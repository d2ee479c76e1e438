import Glibc

/// A client's IP address in the binary form by which addresses are compared.
package enum ClientAddress {
    /// 4 bytes of IPv4, or 16 of IPv6 without its zone; nil if `text` is not an IP address. An
    /// IPv4-mapped IPv6 address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) gives its IPv4 address;
    /// otherwise one client would have two addresses.
    package static func bytes(of text: String) -> [UInt8]? {
        // The C function would read the text only up to a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes[..<4]) }
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &bytes) == 1 else {
            return nil
        }
        return bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
}
