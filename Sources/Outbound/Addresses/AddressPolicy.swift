package import Addresses

/// Which addresses a destination's name may resolve to.
///
/// A name that an outsider chose (a webhook, a photo's URL) may point into the operator's own
/// network: server-side request forgery. So the check is on the address to connect to, after the
/// name is resolved. A second DNS answer cannot bypass it.
package enum AddressPolicy: Hashable, Sendable {
    /// Any address. For destinations in the operator's settings, such as a mail relay, which is
    /// often private or loopback.
    case any
    /// Only public addresses. For destinations from outside.
    case publicOnly

    /// Whether a connection to `address` is allowed.
    package func allows(_ address: InternetAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: address.isPublic
        }
    }
}

extension InternetAddress {
    /// Whether the address belongs to the public internet.
    ///
    /// Addresses in IANA's registries of special-purpose addresses do not (RFC 6890, RFC 8190):
    /// private and shared networks, loopback, link-local (the clouds' metadata servers),
    /// documentation, multicast. One more is a cloud's own service. For an IPv6 address that
    /// contains an IPv4 address, the IPv4 address decides.
    package var isPublic: Bool {
        switch self {
        case .v4(let address):
            !Self.specialV4.contains { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
        case .v6(high: 0, let low) where low >> 32 == 0xffff:  // ::ffff:a.b.c.d, mapped
            InternetAddress.v4(UInt32(truncatingIfNeeded: low)).isPublic
        case .v6(high: 0x0064_ff9b_0000_0000, let low) where low >> 32 == 0:  // NAT64, RFC 6052
            InternetAddress.v4(UInt32(truncatingIfNeeded: low)).isPublic
        case .v6(let high, _):
            // Only 2000::/3 is allocated as global unicast. All other addresses are special or
            // unassigned.
            high >> 61 == 0b001
                && !Self.specialV6.contains {
                    high >> (64 - $0.bits) == $0.prefix >> (64 - $0.bits)
                }
        }
    }

    private static let specialV4: [(prefix: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8),  // 0.0.0.0/8 this network
        (0x0a00_0000, 8),  // 10.0.0.0/8 private
        (0x6440_0000, 10),  // 100.64.0.0/10 shared by carriers
        (0x7f00_0000, 8),  // 127.0.0.0/8 loopback
        (0xa9fe_0000, 16),  // 169.254.0.0/16 link-local, metadata servers
        (0xa83f_8110, 32),  // 168.63.129.16 Azure's metadata behind a public address
        (0xac10_0000, 12),  // 172.16.0.0/12 private
        (0xc000_0000, 24),  // 192.0.0.0/24 protocol assignments
        (0xc000_0200, 24),  // 192.0.2.0/24 documentation
        (0xc058_6300, 24),  // 192.88.99.0/24 6to4 relays, deprecated
        (0xc0a8_0000, 16),  // 192.168.0.0/16 private
        (0xc612_0000, 15),  // 198.18.0.0/15 benchmarks
        (0xc633_6400, 24),  // 198.51.100.0/24 documentation
        (0xcb00_7100, 24),  // 203.0.113.0/24 documentation
        (0xe000_0000, 4),  // 224.0.0.0/4 multicast
        (0xf000_0000, 4),  // 240.0.0.0/4 reserved, broadcast
    ]

    private static let specialV6: [(prefix: UInt64, bits: UInt64)] = [
        (0x2001_0000_0000_0000, 23),  // 2001::/23 Teredo, ORCHID and other protocols
        (0x2001_0db8_0000_0000, 32),  // 2001:db8::/32 documentation
        (0x2002_0000_0000_0000, 16),  // 2002::/16 6to4, carries any IPv4 address
        (0x3fff_0000_0000_0000, 20),  // 3fff::/20 documentation
    ]
}
