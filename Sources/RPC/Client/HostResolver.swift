import Glibc
package import NIOCore
import NIOPosix
package import ServiceRuntime

/// Resolves the host name of a service to its IP addresses.
package protocol HostResolver: Sendable {
    /// The addresses of `target`, each once; completes on `loop`, which must not be blocked.
    func addresses(
        of target: ServiceAddress, on loop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]>
}

/// The system's resolver. It blocks, so it runs on a thread of NIO's pool.
package struct SystemResolver: HostResolver {
    /// Number of addresses of one name that are used. A service with more instances has a load
    /// balancer.
    static let addressesMax = 64

    /// The system's resolver.
    package init() {}

    /// A name without addresses.
    package struct Unresolved: Error, CustomStringConvertible {
        /// The system's error text.
        package let description: String
    }

    package func addresses(
        of target: ServiceAddress, on loop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        // An IP address needs no lookup. `try?`: any other text is a name.
        if let address = try? SocketAddress(ipAddress: target.host, port: target.port) {
            return loop.makeSucceededFuture([address])
        }
        return NIOThreadPool.singleton.runIfActive(eventLoop: loop) { try Self.lookUp(target) }
    }

    private static func lookUp(_ target: ServiceAddress) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(target.host, String(target.port), &hints, &list)
        guard code == 0, let list else {
            throw Unresolved(description: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        for entry in sequence(first: list, next: { $0.pointee.ai_next }) {
            guard addresses.count < addressesMax, let address = address(entry.pointee),
                !addresses.contains(address)
            else { continue }
            addresses.append(address)
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        return switch entry.ai_family {
        case AF_INET: SocketAddress(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self))
        default: nil
        }
    }
}
