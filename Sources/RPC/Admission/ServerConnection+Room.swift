import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// Asks a connection to close, because it has not sent a Hello and newer connections need its slot.
struct CrowdedOutEvent {
    /// Whether it stays open long enough to read the reason.
    let isNotified: Bool
}

/// How a server connection is admitted and how it leaves.
extension ServerConnection {
    /// The retry delay for a refused connection.
    private static let retryAfter = Duration.seconds(1)

    /// Registers the connection; if it is refused, sends the reason and closes.
    func takePlace(_ channel: any Channel) -> Bool {
        let address = PeerAddress(channel.remoteAddress)
        let (verdict, count) = shared.connections.withLock { limiter in
            (limiter.arrived(ObjectIdentifier(channel), channel, from: address), limiter.count)
        }
        shared.connectionMetrics.opened(count)
        switch verdict {
        case .admitted(let crowdedOut):
            crowdedOut.map(Self.crowdOut)
            return true
        case .refused(let reason, let isNotified):
            shared.connectionMetrics.refuse(reason)
            refuseConnection(channel, isNotified: isNotified)
            return false
        }
    }

    private static func crowdOut(
        _ crowded: ConnectionLimiter<ObjectIdentifier, any Channel>.Crowded
    ) {
        let channel = crowded.peer
        let event = CrowdedOutEvent(isNotified: crowded.isNotified)
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(event) }
    }

    /// Closes, unless the Hello has arrived meanwhile.
    func crowdedOut(_ channel: any Channel, isNotified: Bool) {
        guard machine.phase == .awaitingHello else { return }
        shared.connectionMetrics.refuse(.ungreeted)
        refuseConnection(channel, isNotified: isNotified)
    }

    private func refuseConnection(_ channel: any Channel, isNotified: Bool) {
        guard isNotified else { return channel.close(promise: nil) }
        goAway(.tooManyConnections, "too many connections; try later", retryAfter: Self.retryAfter)
    }

    func leavePlace(_ channel: any Channel) {
        let count = shared.connections.withLock { limiter in
            limiter.left(ObjectIdentifier(channel))
            return limiter.count
        }
        shared.connectionMetrics.opened(count)
    }

    /// Drains the connection when it has reached its maximum age or idle time.
    func lookAtLife() {
        switch life?.look(at: eventUptime, runningCount: machine.runningCount) {
        case .old: drain(.draining, "maximum age reached; open another connection")
        case .idle: drain(.idle, "idle for too long")
        case nil: break
        }
    }
}
