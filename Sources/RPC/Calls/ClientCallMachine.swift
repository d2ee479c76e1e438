import NIOCore

/// The state of the calls on one connection, at the client. It is a pure state machine: requests of
/// the program, frames and time are its input, and an instruction for the connection is its output.
///
///     connection   awaitingHello ──hello──▶ open ──GoAway · last id · close──▶ leaving ──▶ closed
///
///     call         (new) ──capacity──▶ running ──Response · abandoned · lost──▶ (gone)
///                    └──full──▶ waiting ──capacity──▶ running
///                                  └──abandoned · deadline · leaving──▶ (gone, not processed)
///
///     frame about a call     above the highest id   running                    gone
///     Response               ignored                ends it                    ignored
///     Item within credit     violation              delivered                  ignored
///     Item over credit       violation              abandoned, with a Cancel   ignored
///     Item after the end     violation              abandoned, with a Cancel   ignored
///     Credit                 violation              delivered                  ignored
///
/// Rules: ids strictly increase, and none is used twice; no more calls run than the server accepts;
/// waiting calls are sent in order; each call ends once. A connection whose ids are used up starts
/// leaving on its own: its calls finish while another connection takes over.
package struct ClientCallMachine<Handle> {
    /// The state of the connection.
    package enum Phase: Equatable {
        case awaitingHello
        case open
        /// No new calls; running calls may finish.
        case leaving
        case closed
    }

    /// How a new call of the program is handled.
    package enum Admission: Equatable {
        /// Send it with this id.
        case send(UInt64)
        /// The server's limit of calls is reached: queue it with `wait`.
        case wait
        /// The queue of waiting calls is full.
        case refuseFull
        /// The connection accepts no more calls.
        case refuseLost
    }

    private struct Call {
        let handle: Handle
        let deadline: Duration
        /// Nil for a unary call.
        let credit: StreamCredit?
        let isWatch: Bool
    }

    /// The state of the connection.
    package private(set) var phase = Phase.awaitingHello
    /// The highest id used.
    package private(set) var highestCall: UInt64 = 0
    /// A time not later than the next deadline of a call; nil when there is no call.
    package private(set) var nextDeadline: Duration?
    private var calls: [UInt64: Call] = [:]
    private var waiting = CircularBuffer<(handle: Handle, deadline: Duration)>()
    private var callsMax = FrameLimits.callsMax
    private let streamCredit: UInt32
    private var peerStreamCredit: UInt32 = 0
    private let idsMax: UInt64

    /// A connection that uses ids up to `idsMax`, and on which the peer may send `streamCredit`
    /// items of a stream before they are consumed.
    package init(streamCredit: UInt32, idsMax: UInt64 = FrameLimits.callIDsMax) {
        self.streamCredit = streamCredit
        self.idsMax = idsMax
    }

    /// Calls that the server may be processing.
    package var runningCount: Int { calls.count }
    /// Calls that wait until the server accepts another.
    package var waitingCount: Int { waiting.count }
    /// Whether no call runs or waits.
    package var isIdle: Bool { calls.isEmpty && waiting.isEmpty }

    /// Applies the server's Hello. Without a `callsMax` the default is used.
    package mutating func hello(callsMax: UInt32, streamCredit: UInt32) {
        guard phase == .awaitingHello else { return }
        phase = .open
        if callsMax > 0 { self.callsMax = Int(clamping: callsMax) }
        peerStreamCredit = streamCredit
    }

    // MARK: Beginning

    /// How a new call would be handled now.
    package var admission: Admission {
        guard phase == .open else { return .refuseLost }
        if calls.count < callsMax, waiting.isEmpty { return .send(highestCall + 1) }
        return waiting.count < FrameLimits.waitingCallsMax ? .wait : .refuseFull
    }

    /// Queues a call until the server accepts another.
    package mutating func wait(_ handle: Handle, deadline: Duration) {
        waiting.append((handle, deadline))
        recordDeadline(deadline)
    }

    /// Removes the first waiting call, if it can be sent now; returns it with its id.
    package mutating func nextWaiting() -> (handle: Handle, call: UInt64)? {
        guard phase == .open, calls.count < callsMax, let next = waiting.popFirst() else {
            return nil
        }
        return (next.handle, highestCall + 1)
    }

    /// Records that a call was sent with the id it was given.
    /// - Returns: whether that was the last id, so that the connection must leave; and the credit
    ///   of a streaming call, for its stream.
    package mutating func began(
        _ handle: Handle, deadline: Duration,
        streams: MethodDescription.Streams = .none, isWatch: Bool = false
    ) -> (isLast: Bool, credit: StreamCredit?) {
        highestCall += 1
        let credit = streams == .none ? nil : StreamCredit(flow(of: streams))
        calls[highestCall] = Call(
            handle: handle, deadline: deadline, credit: credit, isWatch: isWatch)
        recordDeadline(deadline)
        return (highestCall >= idsMax, credit)
    }

    private func flow(of streams: MethodDescription.Streams) -> StreamFlow {
        StreamFlow(
            incomingWindow: streams.hasResponseItems ? streamCredit : nil,
            outgoingCredit: streams.hasRequestItems ? peerStreamCredit : nil)
    }

    private mutating func recordDeadline(_ deadline: Duration) {
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    // MARK: Ending

    /// Removes a call after a Response came or the caller abandoned it; nil when it has already
    /// ended.
    package mutating func ended(_ call: UInt64) -> Handle? {
        guard let handle = remove(call) else { return nil }
        if isIdle { nextDeadline = nil }
        return handle
    }

    private mutating func remove(_ call: UInt64) -> Handle? {
        guard let removed = calls.removeValue(forKey: call) else { return nil }
        removed.credit?.end()
        return removed.handle
    }

    /// Removes the calls whose deadline has passed at `uptime`. Those that were sent must be
    /// cancelled at the server.
    package mutating func overdue(
        at uptime: Duration
    ) -> (sent: [(call: UInt64, handle: Handle)], waiting: [Handle]) {
        guard let nextDeadline, nextDeadline <= uptime else { return ([], []) }
        let sent = calls.filter { $0.value.deadline <= uptime }
            .map { (call: $0.key, handle: $0.value.handle) }
        for entry in sent { _ = remove(entry.call) }
        let late = waiting.filter { $0.deadline <= uptime }.map(\.handle)
        if !late.isEmpty { waiting.removeAll { $0.deadline <= uptime } }
        let next = calls.values.map(\.deadline) + waiting.map(\.deadline)
        self.nextDeadline = next.min()
        return (sent, late)
    }

    /// Accepts no new calls from now on. The server does not process calls after `lastCall`;
    /// waiting calls are not sent.
    /// - Returns: the calls that were not processed.
    package mutating func leave(lastCall: UInt64 = .max) -> [Handle] {
        if phase != .closed { phase = .leaving }
        var unprocessed = waiting.map(\.handle)
        waiting.removeAll()
        for call in calls.keys.filter({ $0 > lastCall }).sorted() {
            if let handle = ended(call) { unprocessed.append(handle) }
        }
        return unprocessed
    }

    /// Removes the followers. They never end on their own and would delay a client that closes.
    package mutating func takeWatches() -> [(call: UInt64, handle: Handle)] {
        let watches = calls.filter { $0.value.isWatch }.map {
            (call: $0.key, handle: $0.value.handle)
        }
        for entry in watches { _ = remove(entry.call) }
        return watches
    }

    /// Ends the connection.
    /// - Returns: the calls that may have been processed, and those that were never sent.
    package mutating func close() -> (sent: [Handle], waiting: [Handle]) {
        phase = .closed
        nextDeadline = nil
        defer {
            for call in calls.values { call.credit?.end() }
            calls = [:]
            waiting.removeAll()
        }
        return (calls.values.map(\.handle), waiting.map(\.handle))
    }
}

// MARK: Streams

extension ClientCallMachine: StreamMachine {
    private func isKnown(_ call: UInt64) -> Bool { call > 0 && call <= highestCall }

    /// Handles an Item frame, which may carry an item, the end of the server's items, or both. When
    /// the instruction is to refuse, the call has ended.
    package mutating func item(
        _ call: UInt64, isItem: Bool, isEnd: Bool
    ) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        guard let state = calls[call] else { return .ignore }
        guard let credit = state.credit else { return .refuse(.afterEnd, ended(call)) }
        switch credit.arrived(isItem: isItem, isEnd: isEnd) {
        case nil: return .ignore
        case .sound: return .deliver(state.handle)
        case .overCredit: return .refuse(.overCredit, ended(call))
        case .afterEnd: return .refuse(.afterEnd, ended(call))
        }
    }

    /// Handles a Credit frame.
    package mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        guard let state = calls[call], state.credit?.granted(items) == true else { return .ignore }
        return .deliver(state.handle)
    }

    /// Calls `body` for each running call with its handle.
    package func forEachRunning(_ body: (UInt64, Handle) -> Void) {
        for (call, state) in calls { body(call, state.handle) }
    }

    /// Ends a running call on the client's request.
    package mutating func giveUp(_ call: UInt64) -> Handle? { ended(call) }

    /// The credit of a running call; for tests.
    package func flow(_ call: UInt64) -> StreamFlow? {
        calls[call].map { $0.credit?.flow ?? StreamFlow.none }
    }
}
