import Glibc

/// The sockets that libcurl has open, pooled connections among them, and the terms of each. On the
/// curl thread only.
///
/// libcurl takes leave of a mail server with QUIT and waits for the answer, with the thread. A
/// server that has stalled would hold up everybody, so its connections are cut instead.
final class OpenSockets {
    /// How long sent bytes may stay without acknowledgement.
    private static let silenceMillisecondsMax: CUnsignedInt = 20_000
    /// `TCP_USER_TIMEOUT` (RFC 5482) of Linux's tcp(7).
    private static let userTimeoutOption: Int32 = 18

    private var terms: [Int32: ConnectionTerms] = [:]
    /// What mail servers offered when their connections began.
    var extensions: [Int32: SMTPExtensions] = [:]

    /// A new socket of the kind asked for, or -1.
    func open(
        family: Int32, type: Int32, protocolNumber: Int32, terms: ConnectionTerms
    ) -> Int32 {
        let descriptor = socket(family, type | Int32(SOCK_CLOEXEC.rawValue), protocolNumber)
        guard descriptor >= 0 else { return descriptor }
        self.terms[descriptor] = terms
        // A peer that is gone without a word (its machine, the way to it) is found out, so that no
        // further request is put on its connection. One that only thinks still acknowledges.
        var milliseconds = Self.silenceMillisecondsMax
        let size = socklen_t(MemoryLayout<CUnsignedInt>.size)
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), Self.userTimeoutOption, &milliseconds, size)
        return descriptor
    }

    func close(_ descriptor: Int32) {
        terms[descriptor] = nil
        extensions[descriptor] = nil
        Glibc.close(descriptor)
    }

    /// Ends both directions; libcurl finds the connection dead and closes it without a word.
    func cut(_ descriptor: Int32) {
        guard terms[descriptor] != nil else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func cutAll() {
        for descriptor in terms.keys { cut(descriptor) }
    }

    /// The connection between these ends, which is all that libcurl tells of it; nil when there is
    /// none.
    func descriptor(peer: SocketEnd, localPort: UInt16) -> Int32? {
        terms.keys.first { descriptor in
            SocketEnd(of: descriptor, getsockname)?.port == localPort
                && SocketEnd(of: descriptor, getpeername) == peer
        }
    }

    /// The terms of a connection.
    func terms(of descriptor: Int32) -> ConnectionTerms? { terms[descriptor] }
}

/// One end of a connection.
struct SocketEnd: Hashable {
    let address: InternetAddress
    let port: UInt16

    init(address: InternetAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// What `ask` (getsockname or getpeername) tells of a socket; nil while it has no such end.
    fileprivate init?(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ask(descriptor, $0, &length)
            }
        }
        guard result == 0 else { return nil }
        let found = withUnsafeBytes(of: &storage) { bytes -> (InternetAddress, UInt16)? in
            guard let address = InternetAddress(socketAddress: bytes) else { return nil }
            // The port stands in the same two bytes of both families (RFC 3493, 3.3).
            let port = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            return (address, UInt16(bigEndian: port))
        }
        guard let found else { return nil }
        (address, port) = found
    }
}
