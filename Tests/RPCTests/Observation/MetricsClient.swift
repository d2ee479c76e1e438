import Glibc
import TestSupport

/// A client of the metrics port: a plain blocking socket. Each of its waits ends after five
/// seconds.
final class MetricsClient {
    private let socket: Int32

    init(port: Int) throws {
        socket = try RawPeer.tcp()
        LoopbackAddress.setTimeouts(seconds: 5, of: socket)
        try RawPeer.connect(socket, port: port)
    }

    deinit { close(socket) }

    /// Sends. Returns false once the other side reads no more.
    @discardableResult
    func send(bytes: [UInt8]) -> Bool {
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads until the other side closes or resets the connection.
    /// - Throws: `Silence` if it does neither.
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
