import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// The timer of a server connection, and what happens when a deadline passes.
extension ServerConnection {
    func greeted(keepaliveFloor: Duration) {
        watch.helloDue = nil
        keepAlive = KeepAlive(at: eventUptime, floor: keepaliveFloor)
        guard let channel = channelContext?.channel else { return }
        shared.connections.withLock { $0.greeted(ObjectIdentifier(channel)) }
    }

    /// Sets the timer for the next deadline of this connection.
    func arm() {
        guard let channelContext else { return }
        let others = ConnectionWatch.sooner(keepAlive?.due, life?.due)
        guard let due = watch.nextDue(or: machine.nextDeadline, or: others) else { return }
        if let armed = watch.armedFor, armed <= due { return }
        watchdog?.cancel()
        watch.armedFor = due
        let wait = max(.milliseconds(1), due - eventUptime)
        let timerTarget = timerTarget ?? TimerTarget(self)
        self.timerTarget = timerTarget
        let held = NIOLoopBound(timerTarget, eventLoop: channelContext.eventLoop)
        watchdog = channelContext.eventLoop.scheduleTask(in: TimeAmount(wait)) {
            held.value.connection?.wake()
        }
    }

    private func wake() {
        guard let channelContext else { return }
        watch.armedFor = nil
        eventUptime = shared.time.uptime()
        for (call, running) in machine.overdue(at: eventUptime) {
            stop(call, running, ServiceError(.deadlineExceeded))
        }
        flush()
        lookAtProgress()
        switch watch.overdue(at: eventUptime) {
        case .slowHello: goAway(.slow, "no Hello within 5 s")
        case .slowFrame: goAway(.slow, "a partial frame took over 10 s")
        case .close: channelContext.close(promise: nil)
        case nil: lookAfterPeer(channelContext)
        }
    }

    private func lookAfterPeer(_ context: ChannelHandlerContext) {
        switch keepAlive?.look(at: eventUptime) {
        case .close: return context.close(promise: nil)
        case .ping:
            write(.ping(WireV1.Ping()))
            flush()
        case .wait, nil: break
        }
        lookAtLife()
        arm()
    }

    /// A timer's reference to its connection. It is cleared when the connection closes, so that the
    /// connection is freed at once.
    ///
    /// To cancel a timer, the event loop searches all its timers. With thousands of connections
    /// this would delay all of them each time one closes, and unauthenticated peers can close as
    /// often as they like. So the timer of a closed connection is not cancelled; it fires and finds
    /// nothing.
    ///
    /// The reference is cleared by the connection and is not weak: an object that ever had a weak
    /// reference uses slower reference counting from then on, in every call and for every item.
    final class TimerTarget {
        private(set) var connection: ServerConnection?

        init(_ connection: ServerConnection) {
            self.connection = connection
        }

        /// The connection is closed.
        func cut() { connection = nil }
    }
}
