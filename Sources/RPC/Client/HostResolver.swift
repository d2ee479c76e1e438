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

/// One configured address of a client, and the IP addresses that its name resolves to.
///
/// A name is resolved when the first call is made, and again whenever a connection to one of its
/// addresses is lost or cannot be made. So a result is not used for longer than the connection made
/// with it.
struct ClientTarget {
    /// Shortest time between two lookups of one name.
    static let lookUpFloor = Duration.seconds(1)

    let address: ServiceAddress
    private(set) var resolved: [SocketAddress] = []
    /// Why the last lookup found no address; nil if it found one.
    private(set) var failure: String?
    private var isLookingUp = false
    private var lookedUpAt: Duration?
    private var backoff = Backoff()

    init(_ address: ServiceAddress) {
        self.address = address
    }

    /// Why the name has no address to connect to; nil if it has one.
    var unresolved: (address: String, text: String)? {
        guard resolved.isEmpty else { return nil }
        return ("\(address)", failure.map { "cannot be resolved: \($0)" } ?? "not resolved yet")
    }

    /// Whether to start a lookup now.
    mutating func startsLookUp(at uptime: Duration) -> Bool {
        if isLookingUp { return false }
        if let lookedUpAt, !resolved.isEmpty, uptime - lookedUpAt < Self.lookUpFloor {
            return false
        }
        isLookingUp = true
        lookedUpAt = uptime
        return true
    }

    /// A lookup has ended; without addresses the previous ones stay.
    /// - Parameter error: why there are none.
    /// - Returns: when to retry, if no address is known.
    mutating func answered(
        _ addresses: [SocketAddress], error: (any Error)? = nil, jitter: UInt64
    ) -> Duration? {
        isLookingUp = false
        failure = addresses.isEmpty ? error.map { "\($0)" } ?? "the name has no address" : nil
        if !addresses.isEmpty {
            resolved = addresses
            backoff.reset()
        }
        return resolved.isEmpty ? backoff.next(jitter: jitter) : nil
    }

    /// Drops the addresses because the client is idle; the next call resolves the name again.
    mutating func forget() { resolved = [] }
}
