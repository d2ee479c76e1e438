import Cryptography
import Messages
import NIOCore
import ServiceRuntime
import Synchronization

/// How the calls of a server connection wait in a lane's queue. A waiting call counts as running on
/// its connection, so that `calls_max`, cancels and deadlines apply to it as to any other.
extension ServerConnection {
    /// The limiter for this caller's calls to the method.
    func limiter(of entry: MethodTable.Entry) -> LaneLimiter {
        shared.admission[isAdmin ? .admin : entry.lane]
    }

    /// Queues a call that could not enter, or refuses it.
    func wait(
        _ call: UInt64, _ payload: UnsafeRawBufferPointer, _ context: CallContext,
        _ entry: MethodTable.Entry, _ start: @escaping MethodHandler.Async, _ limiter: LaneLimiter
    ) {
        guard let loop = channelContext?.eventLoop else { return limiter.leave() }
        let ticket = LaneLimiter.Ticket(
            call: call, connection: NIOLoopBound(self, eventLoop: loop), loop: loop)
        let arrival = limiter.wait(
            ticket, bytes: payload.count, deadline: context.deadline, at: eventUptime)
        switch arrival {
        case .refused(let shed): respond(to: call, with: Self.overloaded(shed.retryAfter))
        case .waits(let place):
            machine.began(call, deadline: context.deadline)
            waiting[call] = WaitingCall(
                place: place, limiter: limiter, payload: SecretBytes(copying: payload),
                context: context, entry: entry, start: start)
        }
    }

    /// Refuses a stream that could not enter. Streams do not queue, because their items would have
    /// to be queued as well.
    func refuseStream(_ call: UInt64, _ limiter: LaneLimiter) {
        limiter.leave()
        respond(to: call, with: Self.overloaded(Self.streamRetry))
    }

    /// Runs a call that was admitted, unless it has ended meanwhile.
    func admitted(_ call: UInt64, by limiter: LaneLimiter) {
        guard let waited = waiting.removeValue(forKey: call) else { return limiter.leave() }
        eventUptime = shared.time.uptime()
        // On a busy loop its timer may be late. The caller is gone, so nothing is begun.
        guard eventUptime < waited.context.deadline else {
            limiter.leave()
            if machine.finished(call) {
                respond(to: call, with: ServiceError(.deadlineExceeded, notProcessed: true))
            }
            return closeIfDrained()
        }
        waited.payload.withBytes { payload in
            run(call, payload, waited.context, waited.entry, waited.start, limiter)
        }
    }

    /// The queue has shed the call.
    func shed(_ call: UInt64, retryAfter: Duration) {
        guard waiting.removeValue(forKey: call) != nil, machine.finished(call) else { return }
        respond(to: call, with: Self.overloaded(retryAfter))
        closeIfDrained()
    }

    /// Removes a call from the queue that was answered otherwise.
    func forgetWaiting(_ call: UInt64) {
        guard let waited = waiting.removeValue(forKey: call) else { return }
        waited.limiter.forget(waited.place)
        _ = machine.finished(call)  // false: its response is sent
        closeIfDrained()
    }

    /// Removes all calls of the connection from the queues, because it has ended.
    func forgetAllWaiting() {
        let waiting = self.waiting
        self.waiting = [:]
        for (call, waited) in waiting {
            waited.limiter.forget(waited.place)
            _ = machine.finished(call)  // false: its response is no longer wanted
        }
    }

    /// The retry delay for a stream that was refused: about as long as a burst lasts.
    private static let streamRetry = Duration.seconds(1)

    private static func overloaded(_ retryAfter: Duration) -> ServiceError {
        ServiceError(.resourceExhausted, retryAfter: retryAfter, notProcessed: true)
    }

    /// A call that waits for a handler to finish: its position in the queue and its request. The
    /// request is in memory that is wiped, since it may contain a password.
    struct WaitingCall {
        let place: AdmissionQueue<LaneLimiter.Ticket>.Place
        let limiter: LaneLimiter
        let payload: SecretBytes
        let context: CallContext
        let entry: MethodTable.Entry
        let start: MethodHandler.Async
    }
}

/// How a server connection is admitted and how it leaves.
extension ServerConnection {
    /// The retry delay for a refused connection.
    private static let retryAfter = Duration.seconds(1)

    /// Registers the connection; if it is refused, sends the reason and closes.
    func enterLimiter(_ channel: any Channel) -> Bool {
        let address = PeerAddress(channel.remoteAddress)
        let verdict = shared.connections.withLock {
            $0.arrived(ObjectIdentifier(channel), channel, from: address)
        }
        switch verdict {
        case .admitted(let crowdedOut):
            crowdedOut.map(Self.crowdOut)
            return true
        case .refused(let reason, let isNotified):
            shared.refusedConnections.count(reason)
            refuseConnection(channel, isNotified: isNotified)
            return false
        }
    }

    private static func crowdOut(
        _ crowded: ConnectionLimiter<ObjectIdentifier, any Channel>.Crowded
    ) {
        let channel = crowded.peer
        let event = Event.crowdedOut(isNotified: crowded.isNotified)
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(event) }
    }

    /// Closes, unless the Hello has arrived meanwhile.
    func crowdedOut(_ channel: any Channel, isNotified: Bool) {
        guard machine.phase == .awaitingHello else { return }
        shared.refusedConnections.count(.ungreeted)
        refuseConnection(channel, isNotified: isNotified)
    }

    private func refuseConnection(_ channel: any Channel, isNotified: Bool) {
        guard isNotified else { return channel.close(promise: nil) }
        goAway(.tooManyConnections, "too many connections; try later", retryAfter: Self.retryAfter)
    }

    func leaveLimiter(_ channel: any Channel) {
        shared.connections.withLock { $0.left(ObjectIdentifier(channel)) }
    }

    /// Drains the connection when it has reached its maximum age or idle time.
    func lookAtLife() {
        switch life?.look(at: eventUptime, runningCount: machine.runningCount) {
        case .old:
            // Each call ends by its own deadline, the longest after `agedGrace`. A backup, or the
            // archive of an export, would never end if the age of its connection ended it.
            drain(
                .draining, "maximum age reached; open another connection",
                grace: FrameLimits.agedGrace)
        case .idle: drain(.idle, "idle for too long")
        case nil: break
        }
    }
}
