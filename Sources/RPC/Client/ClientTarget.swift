import NIOCore
import ServiceRuntime

/// One of a client's configured addresses, and what its name stands for.
///
/// A name is looked up when the client wakes, and again whenever a connection to it is lost or
/// cannot be made: an answer is not kept for longer than the connection that came of it.
struct ClientTarget {
    /// Shortest time between two look-ups of one name.
    static let lookUpFloor = Duration.seconds(1)

    let address: ServiceAddress
    private(set) var resolved: [SocketAddress] = []
    private var isAsked = false
    private var askedAt: Duration?
    private var backoff = Backoff()

    init(_ address: ServiceAddress) {
        self.address = address
    }

    /// Whether to look it up now.
    mutating func asks(at uptime: Duration) -> Bool {
        if isAsked { return false }
        if let askedAt, !resolved.isEmpty, uptime - askedAt < Self.lookUpFloor { return false }
        isAsked = true
        askedAt = uptime
        return true
    }

    /// The look-up has ended; without addresses the last ones stay.
    /// - Returns: when to ask again, if there is nothing to go on.
    mutating func answered(_ addresses: [SocketAddress], jitter: UInt64) -> Duration? {
        isAsked = false
        if !addresses.isEmpty {
            resolved = addresses
            backoff.reset()
        }
        return resolved.isEmpty ? backoff.next(jitter: jitter) : nil
    }

    /// Nobody has called for long: the next call looks it up again.
    mutating func forget() { resolved = [] }
}
