import Cryptography
import Messages
import NIOCore
import ServiceRuntime

/// A call that waits for a handler to end: its place, and what its Request said. The request lies
/// in memory that is wiped, since it may hold a password.
struct WaitingCall {
    let place: AdmissionQueue<WaitingTicket>.Place
    let gate: LaneGate
    let payload: SecretBytes
    let context: CallContext
    let entry: MethodTable.Entry
    let start: MethodHandler.Async
}

/// How a server connection's calls wait for their turn, each counted as running on its connection
/// meanwhile, so that `calls_max`, cancels and deadlines hold for it like for any other.
extension ServerConnection {
    /// The gate of this caller's calls to the method.
    func gate(of entry: MethodTable.Entry) -> LaneGate {
        shared.admission[isAdmin ? .admin : entry.lane]
    }

    /// A call that could not enter waits, or is refused.
    func wait(
        _ call: UInt64, _ payload: UnsafeRawBufferPointer, _ context: CallContext,
        _ entry: MethodTable.Entry, _ start: @escaping MethodHandler.Async, _ gate: LaneGate
    ) {
        guard let loop = self.context?.eventLoop else { return gate.leave() }
        let ticket = WaitingTicket(
            call: call, connection: NIOLoopBound(self, eventLoop: loop), loop: loop)
        let arrival = gate.wait(
            ticket, bytes: payload.count, deadline: context.deadline, at: turnUptime)
        switch arrival {
        case .refused(let shed): refuse(call, Self.overloaded(shed.retryAfter))
        case .waits(let place):
            machine.began(call, deadline: context.deadline)
            waiting[call] = WaitingCall(
                place: place, gate: gate, payload: SecretBytes(copying: payload),
                context: context, entry: entry, start: start)
        }
    }

    /// A stream finds no room, and waits for none: its items would have to wait with it.
    func refuseStream(_ call: UInt64, _ gate: LaneGate) {
        gate.leave()
        refuse(call, Self.overloaded(Self.streamRetry))
    }

    /// It is the call's turn, unless it has ended meanwhile.
    func admitted(_ call: UInt64, by gate: LaneGate) {
        guard let waited = waiting.removeValue(forKey: call) else { return gate.leave() }
        turnUptime = shared.time.uptime()
        waited.payload.withBytes { payload in
            run(call, payload, waited.context, waited.entry, waited.start, gate)
        }
    }

    /// The call has waited for nothing.
    func shed(_ call: UInt64, retryAfter: Duration) {
        guard waiting.removeValue(forKey: call) != nil, machine.finished(call) else { return }
        refuse(call, Self.overloaded(retryAfter))
        closeIfDrained()
    }

    /// A call that was just answered otherwise waits no longer.
    func forgetWaiting(_ call: UInt64) {
        guard let waited = waiting.removeValue(forKey: call) else { return }
        waited.gate.forget(waited.place)
        _ = machine.finished(call)  // false: its answer is sent
        closeIfDrained()
    }

    /// The connection is over, and nobody waits on it.
    func forgetAllWaiting() {
        let waiting = self.waiting
        self.waiting = [:]
        for (call, waited) in waiting {
            waited.gate.forget(waited.place)
            _ = machine.finished(call)  // false: nobody wants its answer
        }
    }

    /// What a stream that found no room is told to wait: about as long as a rush lasts.
    private static let streamRetry = Duration.seconds(1)

    private static func overloaded(_ retryAfter: Duration) -> ServiceError {
        ServiceError(.resourceExhausted, retryAfter: retryAfter, notProcessed: true)
    }
}
