import NIOCore
import ServiceRuntime

/// When the system gives a connection up whose peer takes nothing: `TCP_USER_TIMEOUT`. Without it a
/// peer that vanished while bytes were on the way is tried again for a quarter of an hour, and one
/// that keeps its window shut is kept for ever. As long as the answer to a ping may take.
enum TCPUserTimeout {
    static var milliseconds: Int { Int(FrameLimits.pongPatience.milliseconds) }
}

extension NIOBSDSocket.Option {
    /// `TCP_USER_TIMEOUT` of Linux, in milliseconds (RFC 5482; tcp(7)).
    static let userTimeout = NIOBSDSocket.Option(rawValue: 18)
}
