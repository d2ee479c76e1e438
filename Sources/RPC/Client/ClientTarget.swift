import NIOCore
import ServiceRuntime

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
    private var isLookingUp = false
    private var lookedUpAt: Duration?
    private var backoff = Backoff()

    init(_ address: ServiceAddress) {
        self.address = address
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
    /// - Returns: when to retry, if no address is known.
    mutating func answered(_ addresses: [SocketAddress], jitter: UInt64) -> Duration? {
        isLookingUp = false
        if !addresses.isEmpty {
            resolved = addresses
            backoff.reset()
        }
        return resolved.isEmpty ? backoff.next(jitter: jitter) : nil
    }

    /// Drops the addresses because the client is idle; the next call resolves the name again.
    mutating func forget() { resolved = [] }
}
