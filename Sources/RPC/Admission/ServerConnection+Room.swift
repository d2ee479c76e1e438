import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// Asks a connection to make room: it has not said Hello, and others came after it.
struct CrowdedOutEvent {
    /// It may stay long enough to read why.
    let isTold: Bool
}

/// How a server connection takes its place among the others, and leaves it.
extension ServerConnection {
    /// How long somebody for whom there was no room should stay away.
    private static let retryAfter = Duration.seconds(1)

    /// Takes a place; says why and ends where there is none.
    func takePlace(_ channel: any Channel) -> Bool {
        let address = PeerAddress(channel.remoteAddress)
        let (verdict, count) = shared.connections.withLock { room in
            (room.arrived(ObjectIdentifier(channel), channel, from: address), room.count)
        }
        shared.connectionMetrics.opened(count)
        switch verdict {
        case .admitted(let crowdedOut):
            crowdedOut.map(Self.crowdOut)
            return true
        case .refused(let reason, let isTold):
            shared.connectionMetrics.refuse(reason)
            leaveNoRoom(channel, isTold: isTold)
            return false
        }
    }

    private static func crowdOut(
        _ crowded: ConnectionLimiter<ObjectIdentifier, any Channel>.Crowded
    ) {
        let channel = crowded.peer
        let event = CrowdedOutEvent(isTold: crowded.isTold)
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(event) }
    }

    /// Goes, unless its Hello has come meanwhile.
    func crowdedOut(_ channel: any Channel, isTold: Bool) {
        guard machine.phase == .awaitingHello else { return }
        shared.connectionMetrics.refuse(.ungreeted)
        leaveNoRoom(channel, isTold: isTold)
    }

    private func leaveNoRoom(_ channel: any Channel, isTold: Bool) {
        guard isTold else { return channel.close(promise: nil) }
        goAway(.tooManyConnections, "no room; try later", retryAfter: Self.retryAfter)
    }

    func leavePlace(_ channel: any Channel) {
        let count = shared.connections.withLock { room in
            room.left(ObjectIdentifier(channel))
            return room.count
        }
        shared.connectionMetrics.opened(count)
    }

    /// Ends the connection gently when it is old, or has been idle for long.
    func lookAtLife() {
        switch life?.look(at: turnUptime, runningCount: machine.runningCount) {
        case .old: drain(.draining, "this connection is old; open another")
        case .idle: drain(.idle, "no calls for long")
        case nil: break
        }
    }
}
