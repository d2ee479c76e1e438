/// The life of the calls on one connection, seen from the server, as pure state: frames and time
/// go in, an instruction comes out, and the connection obeys. No socket, clock or task inside.
///
///     connection   awaitingHello ──hello──▶ open ──drain──▶ draining(last) ──▶ closed
///                        │                   │                  │
///                        └───────── violation: closed ──────────┘
///
///     call         (new) ──begin──▶ running ──finished──▶ (gone)        one Response, the handler's
///                                      │ cancel · overdue · fault · a follower when draining
///                                      ▼
///                                   answered ──finished──▶ (gone)       one Response, already sent
///
///     frame about a call    above the highest   running                    answered, gone
///     Request               begins              violation                  violation
///     Cancel                violation           answered CANCELLED         ignored
///     Item, in the credit   violation           delivered                  ignored
///     Item beyond it        violation           answered RESOURCE_EXHAUSTED   ignored
///     Item after the last   violation           answered INVALID_ARGUMENT  ignored
///     Credit                violation           delivered                  ignored
///
/// Rules: ids strictly increase; each call gets exactly one Response; a call that was answered
/// before its handler returned (cancelled, out of time, at fault) counts as running until it has,
/// so that a caller cannot start unbounded work by cancelling. `StreamCredit`, which a call's stream
/// has too, keeps the credit.
package struct ServerCallMachine<Handle> {
    /// Where the connection is.
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
        /// A follower, which goes on elsewhere when we drain.
        var isWatch = false
        /// Its Response is sent.
        private(set) var isAnswered = false

        mutating func answered() {
            isAnswered = true
            credit?.end()
        }

        /// The fate of an Item; nil when the call is answered.
        func arrived(isItem: Bool, isEnd: Bool) -> StreamFlow.Arrival? {
            guard let credit else { return isAnswered ? nil : .afterEnd }
            return credit.arrived(isItem: isItem, isEnd: isEnd)
        }
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
    /// A moment not after the next running call's end; nil when none runs. It may be one that a
    /// call which has ended left behind: kept exactly it would cost a search for every call.
    package var nextDeadline: Duration? {
        guard let starting else { return firstDeadline }
        return firstDeadline.map { min($0, starting.deadline) } ?? starting.deadline
    }

    private var firstDeadline: Duration?
    private var calls: [UInt64: Call] = [:]
    /// The unary call whose handler is starting. Most end before they wait for anything, so it
    /// enters `calls` only when something else happens first.
    private var starting: (call: UInt64, deadline: Duration)?
    private var unknownFrames = 0
    private let callsMax: Int
    private let streamCredit: UInt32
    private var peerStreamCredit: UInt32 = 0

    /// A connection on which at most `callsMax` handlers run at once, and on which the peer may
    /// send `streamCredit` items of a stream ahead of their consumer.
    package init(callsMax: Int, streamCredit: UInt32 = FrameLimits.streamCredit) {
        self.callsMax = callsMax
        self.streamCredit = streamCredit
    }

    /// Handlers that have not returned.
    package var runningCount: Int { calls.count + (starting == nil ? 0 : 1) }

    /// A Hello came; it proceeds once, before anything else.
    package mutating func hello(streamCredit: UInt32 = 0) -> Instruction {
        guard phase == .awaitingHello else { return .violation }
        phase = .open
        peerStreamCredit = streamCredit
        return .proceed
    }

    /// A Request came.
    package mutating func request(_ call: UInt64) -> Instruction {
        guard phase != .awaitingHello, call > highestCall else { return .violation }
        if phase == .closed { return .ignore }
        highestCall = call
        if case .draining = phase { return .refuseDraining }
        return runningCount < callsMax ? .proceed : .refuseBusy
    }

    /// A handler is about to run for a call that may proceed.
    package mutating func began(_ call: UInt64, deadline: Duration) {
        settle()
        starting = (call, deadline)
    }

    /// Lets the call that is starting take its place among the others.
    private mutating func settle() {
        guard let (call, deadline) = starting else { return }
        firstDeadline = nextDeadline
        calls[call] = Call(deadline: deadline)
        starting = nil
    }

    /// The same for a call with streams; `more` tells whether the caller sends items.
    /// - Returns: its credit, for its stream.
    package mutating func began(
        _ call: UInt64, deadline: Duration, streams: MethodDescription.Streams, more: Bool,
        isWatch: Bool
    ) -> StreamCredit {
        began(call, deadline: deadline)
        settle()
        let credit = StreamCredit(
            StreamFlow(
                incomingWindow: streams.hasRequestItems && more ? streamCredit : nil,
                outgoingCredit: streams.hasResponseItems ? peerStreamCredit : nil))
        calls[call]?.isWatch = isWatch
        calls[call]?.credit = credit
        return credit
    }

    /// The handler can be told through `handle`, unless it has returned already.
    package mutating func attach(_ handle: Handle, to call: UInt64) {
        settle()
        if !calls.isEmpty { calls[call]?.handle = handle }
    }

    /// The handler has returned.
    /// - Returns: whether its answer is still wanted.
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

    /// A Cancel came.
    /// - Returns: the instruction and, when it is to proceed, the handler to tell; the call is then
    ///   to be answered CANCELLED.
    package mutating func cancel(_ call: UInt64) -> (Instruction, Handle?) {
        guard isKnown(call) else { return (.violation, nil) }
        guard let ended = answer(call) else { return (.ignore, nil) }
        return (.proceed, ended.handle)
    }

    /// A running call is answered before its handler has returned.
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

    /// A frame of a kind that this version does not know, or does not serve, came.
    package mutating func unknownFrame() -> Instruction {
        guard phase != .awaitingHello else { return .violation }
        unknownFrames += 1
        return unknownFrames > FrameLimits.unknownFramesMax ? .violation : .ignore
    }
}

// MARK: Streams

extension ServerCallMachine: StreamMachine {
    /// An Item came, with an item in it or not, and perhaps the caller's last. A call that is to be
    /// refused counts as answered.
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

    /// A Credit came.
    package mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        settle()
        guard let state = calls[call], state.credit?.granted(items) == true else { return .ignore }
        return .deliver(state.handle)
    }

    /// A running call is to be answered by other than its handler.
    package mutating func giveUp(_ call: UInt64) -> Handle? { answer(call)?.handle }

    /// The credit of a running call; for tests.
    package func flow(_ call: UInt64) -> StreamFlow? {
        if starting?.call == call { return StreamFlow.none }
        return calls[call].flatMap { $0.isAnswered ? nil : $0.credit?.flow ?? StreamFlow.none }
    }
}

// MARK: Ends

extension ServerCallMachine {
    /// Calls whose time is over at `uptime`, each to be told and answered DEADLINE_EXCEEDED.
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

    /// No new calls from now on. Followers, which nothing ends, are to be told and answered
    /// UNAVAILABLE, so that they go on elsewhere; the others may finish.
    /// - Returns: the last call that will be answered, and the followers.
    package mutating func drain() -> (last: UInt64, watches: [(call: UInt64, handle: Handle?)]) {
        settle()
        if phase == .open || phase == .awaitingHello { phase = .draining(lastCall: highestCall) }
        var watches: [(call: UInt64, handle: Handle?)] = []
        for (call, state) in calls where state.isWatch && !state.isAnswered {
            watches.append((call, state.handle))
        }
        for entry in watches { calls[entry.call]?.answered() }
        return (highestCall, watches)
    }

    /// The connection is over.
    /// - Returns: the handlers to tell.
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
