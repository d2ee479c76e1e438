import Foundation
import Glibc

extension Cluster {
    /// The response of a program's metrics port to a GET, with its head.
    func metrics(_ service: String, _ path: String) throws -> String {
        let file = "\(data)/run/postern-\(service).ports"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        guard let port = lines.last.flatMap({ UInt16($0) }) else {
            throw ClusterError(message: "\(file): \(lines)")
        }
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        return String(decoding: try Self.exchange(Array(request.utf8), port), as: UTF8.self)
    }

    /// Sends bytes to a port of this machine and reads until the peer closes, for at most 5 s.
    private static func exchange(_ bytes: [UInt8], _ port: UInt16) throws -> [UInt8] {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafeBytes(of: &address) {
            connect(socket, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, 16)
        }
        guard result == 0, write(socket, bytes, bytes.count) == bytes.count else {
            throw ClusterError(message: "port \(port): \(String(cString: strerror(errno)))")
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(socket, &buffer, buffer.count), count > 0 {
            answer += buffer[..<count]
        }
        return answer
    }
}
