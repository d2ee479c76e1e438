import Glibc

/// HTTP/1.1 over a socket of this machine, one connection for each request.
package enum LoopbackHTTP {
    /// For connecting, writing and each read.
    private static let seconds = 60

    /// Sends a request and reads until the server closes the connection.
    package static func exchange(_ request: String, port: Int) throws -> [UInt8] {
        var response: [UInt8] = []
        try exchange(Array(request.utf8), port: port) { part in
            response += part
            return true
        }
        return response
    }

    /// Sends a request and reads until the server closes the connection or `part` returns false.
    /// - Parameter address: the address of this machine that it comes from.
    static func exchange(
        _ request: [UInt8], port: Int, from address: String = "127.0.0.1",
        _ part: (ArraySlice<UInt8>) throws -> Bool
    ) throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var wait = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &wait, socklen_t(MemoryLayout<timeval>.size))
        }
        try with(address, port: 0) { bind(socket, $0, $1) }
        try with("127.0.0.1", port: port) { connect(socket, $0, $1) }
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The server has refused the request and does not read the rest.
            if count <= 0 { break }
            sent += count
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(socket, &buffer, buffer.count), count > 0 {
            guard try part(buffer[..<count]) else { return }
        }
    }

    private static func with(
        _ address: String, port: Int,
        _ act: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var internet = sockaddr_in()
        internet.sin_family = sa_family_t(AF_INET)
        internet.sin_port = UInt16(clamping: port).bigEndian
        inet_pton(AF_INET, address, &internet.sin_addr)
        let result = withUnsafeBytes(of: &internet) { bytes in
            bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map {
                act($0, socklen_t(bytes.count))
            }
        }
        guard result == 0 else {
            throw CallFailure("\(address):\(port): \(String(cString: strerror(errno)))")
        }
    }
}
