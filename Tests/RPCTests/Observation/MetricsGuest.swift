import CNIOLinux
import Glibc

/// Somebody at the metrics port: a plain blocking socket; every wait of it ends after five seconds.
final class MetricsGuest {
    private let socket: Int32

    init(port: Int) throws {
        socket = try RawPeer.tcp()
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
        var address = RawPeer.address(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw RawPeer.Silence(reason: "connect: \(errno)") }
    }

    deinit { close(socket) }

    /// Sends; false once the other side takes no more.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// What comes until the other side closes, by an end or a reset.
    /// - Throws: `Silence` when it does neither.
    func rest() throws -> [UInt8] {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count > 0 {
                answer += chunk[..<count]
            } else if count == 0 || errno == ECONNRESET {
                return answer
            } else {
                throw RawPeer.Silence(reason: "not closed: \(errno)")
            }
        }
    }
}
