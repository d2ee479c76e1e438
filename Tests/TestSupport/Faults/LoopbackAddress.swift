package import Glibc

/// Addresses of this machine, for plain sockets. They stand here, in a module that knows one C
/// library alone: where several C modules bring `sockaddr_in`, the one that is loaded first owns its
/// fields, and which that is changes with the way of building.
package enum LoopbackAddress {
    /// Lends the address 127.0.0.`host` with `port`, as a socket's call takes it.
    package static func with(
        _ port: Int, host: UInt32 = 1,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = (UInt32(0x7f00_0000) + host).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    /// The port that a socket has.
    package static func port(of socket: Int32) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Ends each wait of a blocking socket after so many seconds.
    package static func setPatience(seconds: Int, of socket: Int32) {
        var wait = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
    }
}
