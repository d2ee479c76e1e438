/// The state of the calls on one connection, at the server. It is a pure state machine: frames and
/// time are its input, and an instruction for the connection is its output. It has no socket, clock
/// or task.
///
///     connection   awaitingHello ──hello──▶ open ──drain──▶ draining(last) ──▶ closed
///                        │                   │                  │
///                        └───────── violation: closed ──────────┘
///
///     call         (new) ──begin──▶ running ──finished──▶ (gone)       Response by the handler
///                                      │ cancel · deadline · fault · a follower when draining
///                                      ▼
///                                   answered ──finished──▶ (gone)      Response was sent before
///
///     frame about a call     above the highest id   running                       answered, gone
///     Request                begins                 violation                     violation
///     Cancel                 violation              answered CANCELLED            ignored
///     Item within credit     violation              delivered                     ignored
///     Item over credit       violation              answered RESOURCE_EXHAUSTED   ignored
///     Item after the end     violation              answered INVALID_ARGUMENT     ignored
///     Credit                 violation              delivered                     ignored
///
/// Rules: ids strictly increase. Each call gets exactly one Response. A call that was answered
/// before its handler returned (cancelled, past its deadline, or faulty) counts as running until
/// the handler returns, so that a caller cannot start unbounded work by cancelling. The credit is
/// stored in a `StreamCredit`, which the call's stream shares.
package struct ServerCallMachine<Handle> {
    /// The state of the connection.
    package enum Phase: Equatable {
        case awaitingHello
        case open
        case draining(lastCall: UInt64)
        case closed
    }

    /// One call whose handler has not returned.
    struct Call {
        var handle: Handle?
        var deadline: Duration
        /// Nil for a unary call.
        var credit: StreamCredit?
        /// A follower, which moves to another server when this one drains.
        var isFollower = false
        /// Its Response was sent.
        private(set) var isAnswered = false

        mutating func answered() {
            isAnswered = true
            credit?.end()
        }

        /// Classifies an Item; nil when the call is answered.
        func arrived(isItem: Bool, isEnd: Bool) -> StreamFlow.Arrival? {
            guard let credit else { return isAnswered ? nil : .afterEnd }
            return credit.arrived(isItem: isItem, isEnd: isEnd)
        }
    }

    /// How the connection must handle a frame.
    package enum Instruction: Equatable {
        case proceed
        case ignore
        /// Answer RESOURCE_EXHAUSTED with `not_processed`.
        case refuseBusy
        /// Answer UNAVAILABLE with `not_processed`: the server is draining.
        case refuseDraining
        /// The peer violated the protocol: send GoAway and close.
        case violation
    }

    /// The state of the connection.
    package private(set) var phase = Phase.awaitingHello
    /// The highest id seen.
    package private(set) var highestCall: UInt64 = 0
    /// A time not later than the next deadline of a running call; nil when none runs. It may be the
    /// deadline of a call that has ended: keeping it exact would cost a search for every call.
    package var nextDeadline: Duration? {
        guard let starting else { return firstDeadline }
        return firstDeadline.map { min($0, starting.deadline) } ?? starting.deadline
    }

    private var firstDeadline: Duration?
    private var calls: [UInt64: Call] = [:]
    /// The unary call whose handler is starting. Most handlers finish without waiting, so the call
    /// is added to `calls` only when another event comes first.
    private var starting: (call: UInt64, deadline: Duration)?
    private var unknownFrames = 0
    private let callsMax: Int
    private let streamCredit: UInt32
    private var peerStreamCredit: UInt32 = 0

    /// A connection on which at most `callsMax` handlers run at once, and on which the peer may
    /// send `streamCredit` items of a stream before they are consumed.
    package init(callsMax: Int, streamCredit: UInt32 = FrameLimits.streamCredit) {
        self.callsMax = callsMax
        self.streamCredit = streamCredit
    }

    /// Number of handlers that have not returned.
    package var runningCount: Int { calls.count + (starting == nil ? 0 : 1) }

    /// Handles a Hello. It is accepted once, as the first frame.
    package mutating func hello(streamCredit: UInt32 = 0) -> Instruction {
        guard phase == .awaitingHello else { return .violation }
        phase = .open
        peerStreamCredit = streamCredit
        return .proceed
    }

    /// Handles a Request.
    package mutating func request(_ call: UInt64) -> Instruction {
        guard phase != .awaitingHello, call > highestCall else { return .violation }
        if phase == .closed { return .ignore }
        highestCall = call
        if case .draining = phase { return .refuseDraining }
        return runningCount < callsMax ? .proceed : .refuseBusy
    }

    /// Records that the handler of an accepted call is about to run.
    package mutating func began(_ call: UInt64, deadline: Duration) {
        settle()
        starting = (call, deadline)
    }

    /// Moves the starting call into `calls`.
    private mutating func settle() {
        guard let (call, deadline) = starting else { return }
        firstDeadline = nextDeadline
        calls[call] = Call(deadline: deadline)
        starting = nil
    }

    /// The same for a streaming call; `more` is true when the caller sends items.
    /// - Returns: the credit, for the call's stream.
    package mutating func began(
        _ call: UInt64, deadline: Duration, streams: MethodDescription.Streams, more: Bool,
        isFollower: Bool
    ) -> StreamCredit {
        began(call, deadline: deadline)
        settle()
        let credit = StreamCredit(
            StreamFlow(
                incomingWindow: streams.hasRequestItems && more ? streamCredit : nil,
                outgoingCredit: streams.hasResponseItems ? peerStreamCredit : nil))
        calls[call]?.isFollower = isFollower
        calls[call]?.credit = credit
        return credit
    }

    /// Sets the handle through which the handler is cancelled, unless the handler has returned.
    package mutating func attach(_ handle: Handle, to call: UInt64) {
        settle()
        if !calls.isEmpty { calls[call]?.handle = handle }
    }

    /// Records that the handler has returned.
    /// - Returns: whether its response must still be sent.
    package mutating func finished(_ call: UInt64) -> Bool {
        if starting?.call == call {
            starting = nil
            return phase != .closed
        }
        guard let ended = calls.removeValue(forKey: call) else { return false }
        if calls.isEmpty { firstDeadline = nil }
        ended.credit?.end()
        return !ended.isAnswered && phase != .closed
    }

    /// Handles a Cancel.
    /// - Returns: the instruction. If it is `proceed`, also the handler to cancel; the call must
    ///   then be answered CANCELLED.
    package mutating func cancel(_ call: UInt64) -> (Instruction, Handle?) {
        guard isKnown(call) else { return (.violation, nil) }
        guard let ended = answer(call) else { return (.ignore, nil) }
        return (.proceed, ended.handle)
    }

    /// Marks a running call as answered before its handler has returned.
    private mutating func answer(_ call: UInt64) -> Call? {
        settle()
        guard let place = calls.index(forKey: call), !calls.values[place].isAnswered else {
            return nil
        }
        calls.values[place].answered()
        return calls.values[place]
    }

    private func isKnown(_ call: UInt64) -> Bool {
        phase != .awaitingHello && call > 0 && call <= highestCall
    }

    /// Handles a frame of a kind that this version does not know or does not serve.
    package mutating func unknownFrame() -> Instruction {
        guard phase != .awaitingHello else { return .violation }
        unknownFrames += 1
        return unknownFrames > FrameLimits.unknownFramesMax ? .violation : .ignore
    }
}

// MARK: Streams

extension ServerCallMachine: StreamMachine {
    /// Handles an Item frame, which may carry an item, the end of the caller's items, or both. When
    /// the instruction is to refuse, the call counts as answered.
    package mutating func item(
        _ call: UInt64, isItem: Bool, isEnd: Bool
    ) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        settle()
        guard let state = calls[call] else { return .ignore }
        switch state.arrived(isItem: isItem, isEnd: isEnd) {
        case nil: return .ignore
        case .sound: return .deliver(state.handle)
        case .overCredit: return .refuse(.overCredit, answer(call)?.handle)
        case .afterEnd: return .refuse(.afterEnd, answer(call)?.handle)
        }
    }

    /// Handles a Credit frame.
    package mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        settle()
        guard let state = calls[call], state.credit?.granted(items) == true else { return .ignore }
        return .deliver(state.handle)
    }

    /// Marks a running call as answered, because something other than its handler answers it.
    package mutating func giveUp(_ call: UInt64) -> Handle? { answer(call)?.handle }

    /// Calls `body` for each running call with its handle.
    package func forEachRunning(_ body: (UInt64, Handle) -> Void) {
        for (call, state) in calls where !state.isAnswered {
            if let handle = state.handle { body(call, handle) }
        }
    }

    /// The credit of a running call; for tests.
    package func flow(_ call: UInt64) -> StreamFlow? {
        if starting?.call == call { return StreamFlow.none }
        return calls[call].flatMap { $0.isAnswered ? nil : $0.credit?.flow ?? StreamFlow.none }
    }
}

// MARK: Ends

extension ServerCallMachine {
    /// The calls whose deadline has passed at `uptime`. Each handler must be cancelled and its call
    /// answered DEADLINE_EXCEEDED.
    package mutating func overdue(at uptime: Duration) -> [(call: UInt64, handle: Handle?)] {
        settle()
        guard let firstDeadline, firstDeadline <= uptime else { return [] }
        var overdue: [(call: UInt64, handle: Handle?)] = []
        var next: Duration?
        for (call, state) in calls where !state.isAnswered {
            if state.deadline <= uptime {
                overdue.append((call, state.handle))
            } else {
                next = next.map { min($0, state.deadline) } ?? state.deadline
            }
        }
        for entry in overdue { calls[entry.call]?.answered() }
        self.firstDeadline = next
        return overdue
    }

    /// Accepts no new calls from now on. Followers never end on their own, so they must be
    /// cancelled and answered UNAVAILABLE, and they reconnect elsewhere. Other calls may finish.
    /// - Returns: the last call that will be answered, and the followers.
    package mutating func drain() -> (
        last: UInt64, followers: [(call: UInt64, handle: Handle?)]
    ) {
        settle()
        if phase == .open || phase == .awaitingHello { phase = .draining(lastCall: highestCall) }
        var followers: [(call: UInt64, handle: Handle?)] = []
        for (call, state) in calls where state.isFollower && !state.isAnswered {
            followers.append((call, state.handle))
        }
        for entry in followers { calls[entry.call]?.answered() }
        return (highestCall, followers)
    }

    /// Ends the running calls that `isEnded` selects. Each handler must be cancelled and its call
    /// answered.
    package mutating func end(where isEnded: (Handle) -> Bool) -> [(call: UInt64, handle: Handle)] {
        settle()
        var ended: [(call: UInt64, handle: Handle)] = []
        for (call, state) in calls where !state.isAnswered {
            if let handle = state.handle, isEnded(handle) { ended.append((call, handle)) }
        }
        for entry in ended { calls[entry.call]?.answered() }
        return ended
    }

    /// Ends the connection.
    /// - Returns: the handlers to cancel.
    package mutating func close() -> [Handle] {
        settle()
        phase = .closed
        var handles: [Handle] = []
        for (call, state) in calls where !state.isAnswered {
            if let handle = state.handle { handles.append(handle) }
            calls[call]?.answered()
        }
        firstDeadline = nil
        return handles
    }
}
