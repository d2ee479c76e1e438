import Messages
import NIOCore
import ServiceRuntime

/// How calls start on a client's connection, and how the client ends them.
extension ClientConnection {
    /// Sends a call, at once or when the server accepts another.
    func start(_ call: PendingCall) {
        switch machine.admission {
        case .send(let number): send(call, as: number)
        case .wait where call.stream != nil:
            // Others end only after minutes or hours, so it would wait in silence.
            call.fail(
                ServiceError(
                    .resourceExhausted, detail: "as many calls as the server admits are running",
                    notProcessed: true))
        case .wait:
            machine.wait(call, deadline: call.deadline)
            arm(call.deadline)
        case .refuseFull:
            call.fail(ServiceError(.resourceExhausted, detail: "queue is full", notProcessed: true))
        case .refuseLost: call.fail(Self.lostError)
        }
    }

    private func send(_ call: PendingCall, as number: UInt64) {
        let left = call.deadline - time.uptime()
        guard left > .zero else {
            return call.fail(ServiceError(.deadlineExceeded, notProcessed: true))
        }
        guard call.request.metadata.isWithinLimits else {
            return call.fail(ServiceError(.invalidArgument, fields: ["metadata"]))
        }
        let timeout = UInt32(clamping: max(1, left.milliseconds))
        let isWritten =
            call.request.payload.isSecret
            ? writeSecret(call.request, as: number, timeoutMilliseconds: timeout)
            : FrameWriter.writeRequest(
                call: number, call.request, timeoutMilliseconds: timeout, to: &out,
                frameBytesMax: peerFrameBytesMax)
        guard isWritten else {
            return call.fail(
                ServiceError(.resourceExhausted, detail: "the request exceeds the server's limit"))
        }
        let (isLast, credit) = machine.began(
            call, deadline: call.deadline, streams: call.streams, isWatch: call.isWatch)
        call.sent(on: self, as: number, credit)
        flushSoon()
        arm(call.deadline)
        if isLast { leave() }
    }

    /// Writes a request with a secret to a separate buffer, which is wiped when the socket has
    /// taken it. `out` is reused between calls, so a password would remain in it.
    private func writeSecret(
        _ request: OutgoingRequest, as call: UInt64, timeoutMilliseconds: UInt32
    ) -> Bool {
        // The connection is lost, and so are its calls.
        guard let channelContext else { return true }
        // It has no memory yet, so the frame is measured and written in one block: a buffer that grows
        // would leave a copy of the password in freed memory.
        var frame = ByteBuffer()
        guard
            FrameWriter.writeRequest(
                call: call, request, timeoutMilliseconds: timeoutMilliseconds, to: &frame,
                frameBytesMax: peerFrameBytesMax)
        else { return false }
        let written = channelContext.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { [frame] _ in frame.wipe() }
        write(frame, promise: written)
        return true
    }

    /// Cancels a call: the server is notified, and the call ends at once.
    func cancel(_ call: UInt64) {
        guard let pending = machine.ended(call) else { return }
        abandon(call, pending, ServiceError(.cancelled))
        ended()
        flushSoon()
    }

    func abandon(_ call: UInt64, _ pending: PendingCall, _ error: ServiceError) {
        FrameWriter.write(.cancel(WireV1.Cancel(call: call)), to: &out)
        pending.fail(error)
    }

    /// After a call has ended: sends waiting calls, or closes a connection that is no longer used.
    func ended() {
        while let (call, number) = machine.nextWaiting() {
            if !call.isOver { send(call, as: number) }
        }
        guard isLost, machine.isIdle else { return }
        flush()
        channelContext?.close(promise: nil)
    }

    /// Accepts no more calls, sends a GoAway, and closes when the running calls are over, or at the
    /// end of the drain grace. Followers never end on their own and are cancelled.
    func close() {
        guard isGreeted, let channelContext else { channelContext?.close(promise: nil); return }
        leave()
        for (call, pending) in machine.takeWatches() {
            abandon(call, pending, ServiceError(.unavailable, detail: "this client is closed"))
        }
        ended()
        guard channelContext.channel.isActive else { return }
        let due = time.uptime() + FrameLimits.drainGrace
        watch.drainDue = due
        arm(due)
    }

    /// Accepts no more calls, and closes when the running calls are over. Its link is not notified,
    /// because it requested this.
    func retire() {
        isLost = true
        for call in machine.leave() { call.fail(Self.lostError) }
        ended()
    }

    /// Accepts no new calls from now on, and notifies the server.
    private func leave() {
        guard !isLost else { return }
        isLost = true
        let unsent = machine.leave()
        let goAway = WireV1.GoAway(reason: .draining, message: "this client is closing")
        FrameWriter.write(.goAway(goAway), to: &out)
        flushSoon()
        onLoss(self, Self.lostError)
        for call in unsent { call.fail(Self.lostError) }
    }

    static var lostError: ServiceError {
        ServiceError(.unavailable, detail: "connection lost", notProcessed: true)
    }
}

/// How a client handles misuse of a stream and protocol violations.
extension ClientConnection: StreamConnection {
    /// Closes the connection to a server that violates the protocol.
    func violated(_ message: String) -> Bool {
        channelContext?.close(promise: nil)
        return false
    }

    /// Ends a call that has ended in the machine: the server is notified and the call fails.
    func stop(_ call: UInt64, _ pending: PendingCall?, _ error: ServiceError) {
        if let pending { abandon(call, pending, error) }
        ended()
    }
}
