import NIOCore

/// The life of the calls on one connection, seen from the client, as pure state: what the program
/// asks, frames and time go in, an instruction comes out, and the connection obeys.
///
///     connection   awaitingHello ──hello──▶ open ──GoAway · ids used up · close──▶ leaving ──▶ closed
///
///     call         (new) ──room──▶ running ──Response · abandoned · lost──▶ (gone)
///                     └──full──▶ waiting ──room──▶ running
///                                   └──abandoned · its time over · leaving──▶ (gone, not processed)
///
///     frame about a call    above the highest   running                    gone
///     Response              ignored             ends it                    ignored
///     Item, in the credit   violation           delivered                  ignored
///     Item beyond it        violation           abandoned, with a Cancel   ignored
///     Item after the last   violation           abandoned, with a Cancel   ignored
///     Credit                violation           delivered                  ignored
///
/// Rules: ids strictly increase, and none is used twice; no more run than the server takes; what
/// waits is sent in order; each call ends once. A connection that has used up its ids leaves by
/// itself: its calls finish while another takes over.
package struct ClientCallMachine<Handle> {
    /// Where the connection is.
    package enum Phase: Equatable {
        case awaitingHello
        case open
        /// No new calls; those that run may finish.
        case leaving
        case closed
    }

    /// What is to be done with a call that the program asks for.
    package enum Admission: Equatable {
        /// Send it under this id.
        case send(UInt64)
        /// The server has all the calls that it takes: `wait` keeps it.
        case wait
        /// So many wait already that this one is refused.
        case refuseFull
        /// The connection takes no more calls.
        case refuseLost
    }

    private struct Call {
        let handle: Handle
        let deadline: Duration
        /// Nil for a unary call.
        let credit: StreamCredit?
        let isWatch: Bool
    }

    /// Where the connection is.
    package private(set) var phase = Phase.awaitingHello
    /// The highest id used.
    package private(set) var highestCall: UInt64 = 0
    /// A moment not after the next end of a call's time; nil when there is no call.
    package private(set) var nextDeadline: Duration?
    private var calls: [UInt64: Call] = [:]
    private var waiting = CircularBuffer<(handle: Handle, deadline: Duration)>()
    private var callsMax = FrameLimits.callsMax
    private let streamCredit: UInt32
    private var peerStreamCredit: UInt32 = 0
    private let idsMax: UInt64

    /// A connection that uses the ids up to `idsMax`, and on which the peer may send `streamCredit`
    /// items of a stream ahead of their consumer.
    package init(streamCredit: UInt32, idsMax: UInt64 = FrameLimits.callIDsMax) {
        self.streamCredit = streamCredit
        self.idsMax = idsMax
    }

    /// Calls that the server may be working on.
    package var runningCount: Int { calls.count }
    /// Calls that wait for the server to have room.
    package var waitingCount: Int { waiting.count }
    /// Nothing runs or waits.
    package var isIdle: Bool { calls.isEmpty && waiting.isEmpty }

    /// The server's Hello came. One that says no `callsMax` takes what is usual.
    package mutating func hello(callsMax: UInt32, streamCredit: UInt32) {
        guard phase == .awaitingHello else { return }
        phase = .open
        if callsMax > 0 { self.callsMax = Int(clamping: callsMax) }
        peerStreamCredit = streamCredit
    }

    // MARK: Beginning

    /// What is to be done with a new call.
    package var admission: Admission {
        guard phase == .open else { return .refuseLost }
        if calls.count < callsMax, waiting.isEmpty { return .send(highestCall + 1) }
        return waiting.count < FrameLimits.waitingCallsMax ? .wait : .refuseFull
    }

    /// Keeps a call until there is room.
    package mutating func wait(_ handle: Handle, deadline: Duration) {
        waiting.append((handle, deadline))
        note(deadline)
    }

    /// The first of those that wait, if there is room for it now, and the id to send it under.
    package mutating func nextWaiting() -> (handle: Handle, call: UInt64)? {
        guard phase == .open, calls.count < callsMax, let next = waiting.popFirst() else {
            return nil
        }
        return (next.handle, highestCall + 1)
    }

    /// A call was sent under the id that it was given.
    /// - Returns: whether that was the last id, and the connection leaves; and the credit of a call
    ///   with streams, for its stream.
    package mutating func began(
        _ handle: Handle, deadline: Duration,
        streams: MethodDescription.Streams = .none, isWatch: Bool = false
    ) -> (isLast: Bool, credit: StreamCredit?) {
        highestCall += 1
        let credit = streams == .none ? nil : StreamCredit(flow(of: streams))
        calls[highestCall] = Call(
            handle: handle, deadline: deadline, credit: credit, isWatch: isWatch)
        note(deadline)
        return (highestCall >= idsMax, credit)
    }

    private func flow(of streams: MethodDescription.Streams) -> StreamFlow {
        StreamFlow(
            incomingWindow: streams.hasResponseItems ? streamCredit : nil,
            outgoingCredit: streams.hasRequestItems ? peerStreamCredit : nil)
    }

    private mutating func note(_ deadline: Duration) {
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    // MARK: Ending

    /// A Response came, or the caller gives the call up; nil when it has ended before.
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

    /// The calls whose time is over at `uptime`: those that the server has are to be cancelled.
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

    /// No new calls from now on. The server does not process those after `lastCall`; none that
    /// wait is sent.
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

    /// Followers, which nothing ends, and which would hold up a client that closes.
    package mutating func takeWatches() -> [(call: UInt64, handle: Handle)] {
        let watches = calls.filter { $0.value.isWatch }.map {
            (call: $0.key, handle: $0.value.handle)
        }
        for entry in watches { _ = remove(entry.call) }
        return watches
    }

    /// The connection is over.
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

    /// An Item came, with an item in it or not, and perhaps the server's last. A call that is to
    /// be refused has ended.
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

    /// A Credit came.
    package mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle> {
        guard isKnown(call) else { return .violation }
        guard let state = calls[call], state.credit?.granted(items) == true else { return .ignore }
        return .deliver(state.handle)
    }

    /// The client ends a running call.
    package mutating func giveUp(_ call: UInt64) -> Handle? { ended(call) }

    /// The credit of a running call; for tests.
    package func flow(_ call: UInt64) -> StreamFlow? {
        calls[call].map { $0.credit?.flow ?? StreamFlow.none }
    }
}
