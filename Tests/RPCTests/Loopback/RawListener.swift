import Glibc
import TestSupport

/// A listening socket without a server of ours: the test itself answers.
final class RawListener: Sendable {
    private let socket: Int32
    let port: Int

    init() throws {
        socket = try RawPeer.tcp()
        let socket = socket
        guard LoopbackAddress.with(0, { bind(socket, $0, $1) }) == 0, listen(socket, 16) == 0 else {
            throw RawPeer.Silence(reason: "listen: \(errno)")
        }
        port = LoopbackAddress.port(of: socket)
        LoopbackAddress.setTimeouts(seconds: 5, of: socket)
    }

    deinit { close(socket) }

    /// Accepts the next connection.
    func accept() throws -> RawPeer {
        let peer = Glibc.accept(socket, nil, nil)
        guard peer >= 0 else { throw RawPeer.Silence(reason: "accept: \(errno)") }
        return RawPeer(peer)
    }
}
