import Addresses

/// Whom places count for: one IPv4 address, or one IPv6 /64, which one household or server has.
/// Several /64 of one customer have the same `site`.
struct ClientNetwork: Hashable, Sendable {
    private let prefix: UInt64
    private let prefixBits: UInt8

    private init(_ prefix: UInt64, _ prefixBits: UInt8) {
        self.prefix = prefix
        self.prefixBits = prefixBits
    }

    /// The network of an address. Nil for this machine, which no limit by address holds.
    init?(_ address: ClientAddress) {
        let bytes = address.bytes
        let isFour = bytes.count == 4
        let isLoopback = isFour ? bytes.first == 127 : bytes == Self.loopback
        guard !isLoopback else { return nil }
        self.init(
            bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, isFour ? 32 : 64)
    }

    /// What one customer has at most, as the rate limiter counts it: the IPv4 address itself, or
    /// the IPv6 /48.
    var site: ClientNetwork {
        prefixBits == 32 ? self : ClientNetwork(prefix & ~0xFFFF, 48)
    }

    private static let loopback = Array(repeating: 0, count: 15) + [1] as [UInt8]
}
