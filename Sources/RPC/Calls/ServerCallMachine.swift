/// The life of the calls on one connection, seen from the server, as pure state: frames and time
/// go in, an instruction comes out, and the connection obeys. No socket, clock or task inside.
///
///     connection   awaitingHello ──hello──▶ open ──drain──▶ draining(last) ──▶ closed
///                        │                   │                  │
///                        └───────── violation: closed ──────────┘
///
///     call         (new) ──begin──▶ running ──finished──▶ (gone)        one Response, the handler's
///                                      │ cancel · overdue
///                                      ▼
///                                   answered ──finished──▶ (gone)       one Response, already sent
///
/// Rules: ids strictly increase; each call gets exactly one Response; a call that was cancelled or
/// ran out of time is answered at once but counts as running until its handler has returned, so
/// that a caller cannot start unbounded work by cancelling.
package struct ServerCallMachine<Handle> {
    /// Where the connection is.
    package enum Phase: Equatable {
        case awaitingHello
        case open
        case draining(lastCall: UInt64)
        case closed
    }

    /// Where one call is.
    package enum Call {
        case running(Handle?, deadline: Duration)
        /// Its Response is sent; its handler has not returned.
        case answered
    }

    /// What the connection must do about a frame.
    package enum Instruction: Equatable {
        case proceed
        case ignore
        /// Answer RESOURCE_EXHAUSTED with `not_processed`.
        case refuseBusy
        /// Answer UNAVAILABLE with `not_processed`: the server is draining.
        case refuseDraining
        /// The peer broke the protocol: GoAway and close.
        case violation
    }

    /// Where the connection is.
    package private(set) var phase = Phase.awaitingHello
    /// The highest id seen.
    package private(set) var highestCall: UInt64 = 0
    private var calls: [UInt64: Call] = [:]
    private var unknownFrames = 0
    private let callsMax: Int

    /// A connection on which at most `callsMax` handlers run at once.
    package init(callsMax: Int) {
        self.callsMax = callsMax
    }

    /// Handlers that have not returned.
    package var runningCount: Int { calls.count }

    /// A Hello came; it proceeds once, before anything else.
    package mutating func hello() -> Instruction {
        guard phase == .awaitingHello else { return .violation }
        phase = .open
        return .proceed
    }

    /// A Request came.
    package mutating func request(_ call: UInt64) -> Instruction {
        guard phase != .awaitingHello, call > highestCall else { return .violation }
        if phase == .closed { return .ignore }
        highestCall = call
        if case .draining = phase { return .refuseDraining }
        return calls.count < callsMax ? .proceed : .refuseBusy
    }

    /// A handler is about to run for a call that may proceed.
    package mutating func began(_ call: UInt64, deadline: Duration) {
        calls[call] = .running(nil, deadline: deadline)
    }

    /// The handler can be told through `handle`, unless it has returned already.
    package mutating func attach(_ handle: Handle, to call: UInt64) {
        guard case .running(_, let deadline) = calls[call] else { return }
        calls[call] = .running(handle, deadline: deadline)
    }

    /// The handler has returned.
    /// - Returns: whether its answer is still wanted.
    package mutating func finished(_ call: UInt64) -> Bool {
        guard case .running = calls.removeValue(forKey: call) else { return false }
        return phase != .closed
    }

    /// A Cancel came.
    /// - Returns: the instruction and, when it is to proceed, the handler to tell; the call is then
    ///   to be answered CANCELLED.
    package mutating func cancel(_ call: UInt64) -> (Instruction, Handle?) {
        guard phase != .awaitingHello, call > 0, call <= highestCall else {
            return (.violation, nil)
        }
        guard case .running(let handle, _) = calls[call] else { return (.ignore, nil) }
        calls[call] = .answered
        return (.proceed, handle)
    }

    /// A frame of a kind that this version does not know, or does not serve, came.
    package mutating func unknownFrame() -> Instruction {
        guard phase != .awaitingHello else { return .violation }
        unknownFrames += 1
        return unknownFrames > FrameLimits.unknownFramesMax ? .violation : .ignore
    }

    /// An Item or Credit came for `call`; without streams there is nothing that it could move.
    package func streamFrame(_ call: UInt64) -> Instruction {
        phase == .awaitingHello || call == 0 || call > highestCall ? .violation : .ignore
    }

    /// Calls whose time is over at `uptime`, each to be told and answered DEADLINE_EXCEEDED.
    package mutating func overdue(at uptime: Duration) -> [(call: UInt64, handle: Handle?)] {
        var overdue: [(call: UInt64, handle: Handle?)] = []
        for case (let call, .running(let handle, let deadline)) in calls where deadline <= uptime {
            overdue.append((call, handle))
        }
        for entry in overdue { calls[entry.call] = .answered }
        return overdue
    }

    /// When the next running call's time is over.
    package var nextDeadline: Duration? {
        calls.values.compactMap { call in
            if case .running(_, let deadline) = call { deadline } else { nil }
        }.min()
    }

    /// No new calls from now on.
    /// - Returns: the last call that will be answered.
    package mutating func drain() -> UInt64 {
        if phase == .open || phase == .awaitingHello { phase = .draining(lastCall: highestCall) }
        return highestCall
    }

    /// The connection is over.
    /// - Returns: the handlers to tell.
    package mutating func close() -> [Handle] {
        phase = .closed
        var handles: [Handle] = []
        for (call, state) in calls {
            if case .running(let handle?, _) = state { handles.append(handle) }
            calls[call] = .answered
        }
        return handles
    }
}

extension ServerCallMachine: Sendable where Handle: Sendable {}
extension ServerCallMachine.Call: Sendable where Handle: Sendable {}
