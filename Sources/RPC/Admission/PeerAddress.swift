import NIOCore

/// Whom a connection's address stands for, as limits see it: an IPv4 address, or the /64 of an
/// IPv6 one, since a household or a server has 2⁶⁴ of those and would not be bounded by any of
/// them. IPv4 in IPv6's clothes (`::ffff:`) is IPv4.
struct PeerAddress: Hashable, Sendable {
    private let prefix: UInt64
    private let isSix: Bool
    /// Programs of this machine.
    let isLoopback: Bool

    /// From the sixteen bytes of an IPv6 address.
    init(six bytes: [UInt8]) {
        let isFour = bytes.starts(with: Self.mappedPrefix)
        prefix = Self.number(isFour ? bytes.suffix(4) : bytes.prefix(8))
        isSix = !isFour
        isLoopback = isFour ? bytes[12] == 127 : bytes == Self.loopback
    }

    /// From the four bytes of an IPv4 address.
    init(four bytes: [UInt8]) {
        prefix = Self.number(bytes[...])
        isSix = false
        isLoopback = bytes.first == 127
    }

    private static let mappedPrefix = Array(repeating: 0, count: 10) + [0xff, 0xff] as [UInt8]
    private static let loopback = Array(repeating: 0, count: 15) + [1] as [UInt8]

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Nil for what is not of the Internet protocols. The address lies behind family and port in
    /// `sockaddr_in`, and behind the flow label too in `sockaddr_in6`.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let four):
            self.init(four: withUnsafeBytes(of: four.address) { Array($0[4..<8]) })
        case .v6(let six):
            self.init(six: withUnsafeBytes(of: six.address) { Array($0[8..<24]) })
        case .unixDomainSocket, nil: return nil
        }
    }
}
