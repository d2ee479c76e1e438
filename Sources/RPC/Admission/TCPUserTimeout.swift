import NIOCore
import ServiceRuntime

/// When the system closes a connection whose peer acknowledges nothing: `TCP_USER_TIMEOUT`. Without
/// it, the system retransmits for a quarter of an hour to a peer that vanished with bytes in
/// flight, and keeps a connection forever whose peer leaves its window closed. It is as long as the
/// timeout of a ping.
enum TCPUserTimeout {
    static var milliseconds: Int { Int(FrameLimits.pongPatience.milliseconds) }
}

extension NIOBSDSocket.Option {
    /// `TCP_USER_TIMEOUT` of Linux, in milliseconds (RFC 5482; tcp(7)).
    static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
}
