import Glibc

/// A TCP connection to a port of this machine, which stays open until it is closed.
struct KeptConnection {
    private let descriptor: Int32

    /// - Throws: `ClusterError` when nothing listens there.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw ClusterError(message: "port \(port) does not accept") }
    }

    /// What arrives first after `request` was sent.
    /// - Throws: `ClusterError` when nothing arrives.
    func answer(to request: String) throws -> String {
        guard write(descriptor, request, request.utf8.count) == request.utf8.count else {
            throw ClusterError(message: "the request was not taken")
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw ClusterError(message: "no answer") }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func close() { _ = Glibc.close(descriptor) }
}
