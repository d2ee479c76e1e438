import Addresses
import Glibc

/// The sockets that libcurl has open, including pooled connections, with the terms of each. Used
/// only on the curl thread.
///
/// libcurl ends an SMTP connection with QUIT and blocks the thread until the reply. A server that
/// has stalled would delay all transfers, so its connections are shut down instead.
final class OpenSockets {
    /// How long sent bytes may remain unacknowledged.
    private static let silenceMillisecondsMax: CUnsignedInt = 20_000
    /// `TCP_USER_TIMEOUT` (RFC 5482) of Linux's tcp(7).
    private static let userTimeoutOption: Int32 = 18

    private var terms: [Int32: ConnectionTerms] = [:]
    /// Whether the mail server offered SMTPUTF8 when the connection began.
    var offersInternational: [Int32: Bool] = [:]

    /// Opens a socket. Returns -1 on failure.
    func open(
        family: Int32, type: Int32, protocolNumber: Int32, terms: ConnectionTerms
    ) -> Int32 {
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
        guard descriptor >= 0 else { return descriptor }
        self.terms[descriptor] = terms
        // Detects a peer that disappeared without closing the connection (a crashed host, a broken
        // route), so that no further request uses it. A peer that is only slow still acknowledges.
        var milliseconds = Self.silenceMillisecondsMax
        let size = socklen_t(MemoryLayout<CUnsignedInt>.size)
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), Self.userTimeoutOption, &milliseconds, size)
        return descriptor
    }

    func close(_ descriptor: Int32) {
        terms[descriptor] = nil
        offersInternational[descriptor] = nil
        Glibc.close(descriptor)
    }

    /// Shuts down both directions. libcurl then finds the connection dead and closes it without
    /// QUIT.
    func cut(_ descriptor: Int32) {
        guard terms[descriptor] != nil else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func cutAll() {
        for descriptor in terms.keys { cut(descriptor) }
    }

    /// The connection between these two ends, which is how libcurl identifies it. Nil when there is
    /// none.
    func descriptor(peer: End, localPort: UInt16) -> Int32? {
        terms.keys.first { descriptor in
            End(of: descriptor, getsockname)?.port == localPort
                && End(of: descriptor, getpeername) == peer
        }
    }

    /// The terms of a connection.
    func terms(of descriptor: Int32) -> ConnectionTerms? { terms[descriptor] }

    /// One end of a connection.
    struct End: Hashable {
        let address: InternetAddress
        let port: UInt16

        init(address: InternetAddress, port: UInt16) {
            self.address = address
            self.port = port
        }

        /// The end of a socket that `name` (getsockname or getpeername) returns. Nil when the
        /// socket has no such end.
        fileprivate init?(
            of descriptor: Int32,
            _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) ->
                Int32
        ) {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let result = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    name(descriptor, $0, &length)
                }
            }
            guard result == 0 else { return nil }
            let found = withUnsafeBytes(of: &storage) { bytes -> (InternetAddress, UInt16)? in
                guard let address = InternetAddress(socketAddress: bytes) else { return nil }
                // The port is at the same offset in both families (RFC 3493, 3.3).
                let port = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
                return (address, UInt16(bigEndian: port))
            }
            guard let found else { return nil }
            (address, port) = found
        }
    }
}

/// The conditions under which a connection was opened. libcurl reuses a pooled connection for any
/// transfer to the same host, port and user. But it may have been opened without encryption, with
/// another trust file (libcurl's own check covers `smtps`, not STARTTLS), or to an address that
/// this transfer must not connect to. So only a transfer with equal terms may reuse it; another
/// opens a new connection.
struct ConnectionTerms: Hashable, Sendable {
    /// The addresses to which the destination's name may resolve.
    let addresses: AddressPolicy
    /// Whether the connection must be encrypted.
    let isEncrypted: Bool
    /// A file of trusted authorities. Nil for the system's.
    let trustFile: String?
}
