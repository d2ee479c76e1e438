package import NIOCore
import ServiceRuntime

/// Detects dead peers (Protos/README.md, "Connection" 3). An idle peer is pinged; without an answer
/// the connection is closed. Any bytes from the peer show that it is alive.
struct KeepAlive {
    /// The action to take now.
    enum Step {
        case wait
        case ping
        case close
    }

    /// When to check next, on the uptime clock.
    private(set) var due: Duration
    /// Whether a ping is unanswered.
    private(set) var isPinged = false
    private var hasReceived = false
    private let idle: Duration

    /// Starts at `uptime`; `floor` is the shortest time between two pings that the peer accepts.
    init(at uptime: Duration, floor: Duration) {
        idle = max(FrameLimits.keepaliveIdle, floor)
        due = uptime + idle
    }

    /// Records that bytes arrived.
    mutating func received() { hasReceived = true }

    /// If a check is due, decides by whether bytes arrived since the last one.
    mutating func look(at uptime: Duration) -> Step {
        guard due <= uptime else { return .wait }
        defer { hasReceived = false }
        if hasReceived {
            isPinged = false
            due = uptime + idle
            return .wait
        }
        if isPinged { return .close }
        isPinged = true
        due = uptime + FrameLimits.pongTimeout
        return .ping
    }
}

/// When the system closes a connection whose peer acknowledges nothing: `TCP_USER_TIMEOUT`. Without
/// it, the system retransmits for a quarter of an hour to a peer that vanished with bytes in
/// flight, and keeps a connection forever whose peer leaves its window closed. It is as long as the
/// timeout of a ping.
package enum TCPUserTimeout {
    /// The option's value.
    package static var milliseconds: Int { Int(FrameLimits.pongTimeout.milliseconds) }
}

extension NIOBSDSocket.Option {
    /// `TCP_USER_TIMEOUT` of Linux, in milliseconds (RFC 5482; tcp(7)).
    package static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
}
