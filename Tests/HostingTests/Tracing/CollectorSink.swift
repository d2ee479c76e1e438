import Glibc
import NIOPosix
import Synchronization

/// A trace collector for tests. It accepts one request at a time and answers with a status.
final class CollectorSink: Sendable {
    struct Failure: Error {
        let reason: String
    }

    let port: Int
    private let listener: Atomic<Int32>
    private let status: Int

    init(answering status: Int) throws {
        self.status = status
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, address, &size) == 0
            }
        }
        guard isBound else { throw Failure(reason: "bind: \(errno)") }
        Self.limit(socket)
        port = Int(UInt16(bigEndian: address.sin_port))
        listener = Atomic(socket)
    }

    deinit { stop() }

    /// Stops listening.
    func stop() {
        let socket = listener.exchange(-1, ordering: .sequentiallyConsistent)
        if socket >= 0 { close(socket) }
    }

    /// The next request. It waits for at most five seconds, on a thread of its own.
    func request() async throws -> (head: String, body: [UInt8]) {
        try await NIOThreadPool.singleton.runIfActive { try self.serve() }
    }

    private func serve() throws -> (head: String, body: [UInt8]) {
        let peer = accept(listener.load(ordering: .sequentiallyConsistent), nil, nil)
        guard peer >= 0 else { throw Failure(reason: "accept: \(errno)") }
        defer { close(peer) }
        Self.limit(peer)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = String(text[..<end.lowerBound]) + "\r\n"
                let count = Self.length(head)
                let body = Array(bytes.dropFirst(head.utf8.count + 2))
                if body.count >= count {
                    let answer = Array("HTTP/1.1 \(status) X\r\ncontent-length: 2\r\n\r\n{}".utf8)
                    _ = write(peer, answer, answer.count)
                    return (head, body)
                }
            }
            let count = read(peer, &chunk, chunk.count)
            guard count > 0 else { throw Failure(reason: "half a request: \(text.prefix(200))") }
            bytes += chunk[..<count]
        }
    }

    private static func length(_ head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
        return line.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
    }

    private static func limit(_ socket: Int32) {
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }
}
