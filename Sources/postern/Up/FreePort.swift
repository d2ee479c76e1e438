import Glibc

/// An unused loopback port outside the system's ephemeral range (32768 and above by default), so
/// that the system does not assign it to another process before its program has started.
enum FreePort {
    private static let range = 20_000...32_000
    private static let triesMax = 200

    /// A free port; 0, which lets the system choose, if none is found.
    static func find() -> Int {
        for _ in 0..<triesMax {
            let port = Int.random(in: range)
            if isFree(port) { return port }
        }
        return 0
    }

    private static func isFree(_ port: Int) -> Bool {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { return false }
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
