import Glibc

/// An IPv4 or IPv6 address.
package enum InternetAddress: Hashable, Sendable {
    /// Four bytes in network order, as a number.
    case v4(UInt32)
    /// Sixteen bytes in network order, as two numbers.
    case v6(high: UInt64, low: UInt64)

    /// Parses an address without brackets or zone. Nil for any other text.
    package init?(text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = withUnsafeBytes(of: &four) { Self.v4($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self = withUnsafeBytes(of: &six) { Self.v6($0) }
        } else {
            return nil
        }
    }

    /// The address in a socket address. Nil for other families.
    package init?(socketAddress: UnsafeRawBufferPointer) {
        guard socketAddress.count >= MemoryLayout<sockaddr>.size else { return nil }
        switch Int32(socketAddress.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET:
            var address = socketAddress.loadUnaligned(as: sockaddr_in.self).sin_addr
            self = withUnsafeBytes(of: &address) { Self.v4($0) }
        case AF_INET6:
            guard socketAddress.count >= MemoryLayout<sockaddr_in6>.size else { return nil }
            var address = socketAddress.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self = withUnsafeBytes(of: &address) { Self.v6($0) }
        default:
            return nil
        }
    }

    private static func v4(_ bytes: UnsafeRawBufferPointer) -> InternetAddress {
        .v4(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    }

    private static func v6(_ bytes: UnsafeRawBufferPointer) -> InternetAddress {
        .v6(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
