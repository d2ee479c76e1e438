// Either of the two may come to own sockaddr_in, by which is loaded first.
import CNIOLinux
import Glibc

/// A listening socket behind which no server of ours stands.
final class RawListener: Sendable {
    private let socket: Int32
    let port: Int

    init() throws {
        socket = try RawPeer.tcp()
        var address = RawPeer.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, $0, &size) == 0
            }
        }
        guard result else { throw RawPeer.Silence(reason: "listen: \(errno)") }
        port = Int(UInt16(bigEndian: address.sin_port))
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// The next caller.
    func accept() throws -> RawPeer {
        let peer = Glibc.accept(socket, nil, nil)
        guard peer >= 0 else { throw RawPeer.Silence(reason: "accept: \(errno)") }
        return RawPeer(peer)
    }
}
