import Glibc
import ServiceRuntime

/// Reads a program's metrics page over HTTP, with a blocking socket and a short timeout, since all
/// programs are on this machine and five are queried concurrently.
enum MetricsReader {
    /// Timeout for the connection and for each read.
    private static let patienceMicroseconds = 700_000
    private static let bytesMax = 4 * 1_024 * 1_024

    /// The page; nil if there is no response.
    static func read(_ address: ServiceAddress) -> MetricsText? {
        guard let socket = connected(address) else { return nil }
        defer { close(socket) }
        let request = Array(
            "GET /metrics HTTP/1.1\r\nhost: \(address.host)\r\nconnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return nil
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(socket, &chunk, chunk.count, 0), count != 0 {
            guard count > 0, answer.count < bytesMax else { return nil }
            answer += chunk[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200"), let end = text.firstRange(of: "\r\n\r\n") else {
            return nil
        }
        return MetricsText(String(text[end.upperBound...]))
    }

    private static func connected(_ address: ServiceAddress) -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let found
        else { return nil }
        defer { freeaddrinfo(found) }
        let socket = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        guard socket >= 0 else { return nil }
        // Linux applies the send timeout to connecting too (socket(7)).
        var wait = timeval(tv_sec: 0, tv_usec: patienceMicroseconds)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
        guard connect(socket, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            close(socket)
            return nil
        }
        return socket
    }
}
