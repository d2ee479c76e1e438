package import Glibc

/// Addresses of this machine, for plain sockets. They are in a module that imports only one C
/// library: where several C modules declare `sockaddr_in`, the one that is loaded first owns its
/// fields, and which one that is depends on the kind of build.
package enum LoopbackAddress {
    /// Calls `body` with the address 127.0.0.`host` and `port`, in the form that socket calls take.
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

    /// The local port of a socket.
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

    /// Sets the receive and send timeouts of a blocking socket, in seconds.
    package static func setTimeouts(seconds: Int, of socket: Int32) {
        var wait = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
    }
}
