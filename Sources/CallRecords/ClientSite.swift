import Glibc

/// The network that a client's address is in, as one customer is given it: an IPv4 /24, an IPv6 /48.
/// IPv4 in IPv6's clothes (`::ffff:`) is IPv4, or one caller would have two.
enum ClientSite {
    /// The network's bytes, 3 or 6; nil for what is no address.
    static func bytes(of address: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 {
            return withUnsafeBytes(of: four.s_addr) { Array($0.prefix(3)) }
        }
        var six = in6_addr()
        let unscoped = String(address.prefix { $0 != "%" })
        guard inet_pton(AF_INET6, unscoped, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        return bytes.starts(with: mapped) ? Array(bytes[12..<15]) : Array(bytes.prefix(6))
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
}
