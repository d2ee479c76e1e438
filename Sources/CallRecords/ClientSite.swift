import RPC

/// The network that a client's address is in, as one customer is given it: an IPv4 /24, an IPv6 /48.
enum ClientSite {
    /// The network's bytes, 3 or 6; nil if `address` is not an address.
    static func bytes(of address: String) -> [UInt8]? {
        ClientAddress.bytes(of: address).map { Array($0.prefix($0.count == 4 ? 3 : 6)) }
    }
}
