import NIOCore

/// The address by which connections are limited: an IPv4 address, or the /64 prefix of an IPv6
/// address, since one household or server has 2⁶⁴ addresses and a limit for each would have no
/// effect. An IPv4-mapped IPv6 address (`::ffff:`) counts as IPv4.
struct PeerAddress: Hashable, Sendable {
    private let prefix: UInt64
    private let isSix: Bool
    /// Whether it is a loopback address.
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

    /// Nil for an address that is not IPv4 or IPv6. The address comes after family and port in
    /// `sockaddr_in`, and also after the flow label in `sockaddr_in6`.
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
