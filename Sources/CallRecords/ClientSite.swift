import RPC

/// The network of a client's address, at the size that a provider assigns to one customer: an IPv4
/// /24 or an IPv6 /48.
enum ClientSite {
    /// The network's bytes, 3 or 6; nil if `address` is not an IP address.
    static func bytes(of address: String) -> [UInt8]? {
        ClientAddress.bytes(of: address).map { Array($0.prefix($0.count == 4 ? 3 : 6)) }
    }
}
