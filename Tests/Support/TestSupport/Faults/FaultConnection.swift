import Glibc

/// One connection through the proxy: a socket to the client, one to the server, and a pipe for each
/// direction. Used only on the proxy's thread.
final class FaultConnection {
    private let caller: LoopbackSocket
    private let server: LoopbackSocket
    private var upwards: FaultPipe
    private var downwards: FaultPipe
    private var isBlockedUpwards = false
    private var isBlockedDownwards = false
    private(set) var isClosed = false
    /// When the connection must be served next even if no byte arrives.
    private(set) var due: Duration?

    init(caller: LoopbackSocket, server: LoopbackSocket, _ faults: ConnectionFaults) {
        self.caller = caller
        self.server = server
        upwards = FaultPipe(faults.upwards)
        downwards = FaultPipe(faults.downwards)
    }

    /// What to poll for: the client's socket, then the server's.
    var polls: [pollfd] {
        [
            poll(caller, isReading: upwards.isReading, isWriting: isBlockedDownwards),
            poll(server, isReading: downwards.isReading, isWriting: isBlockedUpwards),
        ]
    }

    private func poll(_ socket: LoopbackSocket, isReading: Bool, isWriting: Bool) -> pollfd {
        let events = (isReading ? POLLIN : 0) | (isWriting ? POLLOUT : 0)
        // A socket without interest is left out. Otherwise a hang-up that is not handled yet would
        // wake the loop forever.
        return pollfd(
            fd: events == 0 ? -1 : socket.descriptor, events: Int16(events), revents: 0)
    }

    func change(to faults: ConnectionFaults, at uptime: Duration) {
        upwards.change(to: faults.upwards, at: uptime)
        downwards.change(to: faults.downwards, at: uptime)
    }

    /// Reads the bytes that have arrived and forwards those that may pass.
    func turn(_ ready: [pollfd], at uptime: Duration, jitter: UInt64) {
        if ready[0].revents != 0, upwards.isReading {
            read(caller, into: &upwards, uptime, jitter)
        }
        if ready[1].revents != 0, downwards.isReading {
            read(server, into: &downwards, uptime, jitter)
        }
        let dueUp = pass(&upwards, to: server, &isBlockedUpwards, uptime)
        let dueDown = pass(&downwards, to: caller, &isBlockedDownwards, uptime)
        due = [dueUp, dueDown].compactMap { $0 }.min()
        if upwards.isOver, downwards.isOver { isClosed = true }
    }

    private func read(
        _ socket: LoopbackSocket, into pipe: inout FaultPipe, _ uptime: Duration, _ jitter: UInt64
    ) {
        switch socket.receive() {
        case .bytes(let bytes): pipe.take(bytes, at: uptime, jitter: jitter)
        case .end: pipe.senderEnded()
        case .nothingYet: break
        case .broken: reset()
        }
    }

    /// - Returns: when to check again.
    private func pass(
        _ pipe: inout FaultPipe, to socket: LoopbackSocket, _ isBlocked: inout Bool,
        _ uptime: Duration
    ) -> Duration? {
        isBlocked = false
        while !isClosed {
            switch pipe.step(at: uptime) {
            case .wait(let due): return due
            case .endReceiver: socket.endSending()
            case .closeAll: isClosed = true
            case .resetAll: reset()
            case .send(let count):
                guard let taken = socket.send(pipe.front.prefix(count)) else {
                    reset()
                    return nil
                }
                pipe.sent(taken, at: uptime)
                isBlocked = taken < count
                if isBlocked { return nil }
            }
        }
        return nil
    }

    /// A reset on one side is passed to the other, so that the proxy hides nothing.
    private func reset() {
        caller.resetOnClose()
        server.resetOnClose()
        isClosed = true
    }
}
