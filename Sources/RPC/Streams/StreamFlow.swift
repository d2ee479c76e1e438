/// The flow control state of one call's streams, at one side: which directions are open, and how
/// many items may still be sent in each (Protos/README.md, "Streams").
///
///     incoming   open ──end──▶ ended        each item uses one of the credit that we granted;
///                                           consumed items are granted again, per half window
///     outgoing   open ──end──▶ ended        each item uses one of the credit that the peer granted
///
/// Invariant: unused granted credit + items that arrived and are not consumed + items consumed and
/// not yet granted again = the window. A peer can therefore make us hold at most one window of
/// items. Since the last term is at most half a window, a sender whose items are consumed never
/// starves.
package struct StreamFlow: Hashable, Sendable {
    /// The classification of an Item.
    package enum Arrival: Hashable, Sendable {
        case sound
        /// It exceeds the credit.
        case overCredit
        /// The peer had already ended its items.
        case afterEnd
    }

    /// A call without streams.
    package static let none = StreamFlow(incomingWindow: nil, outgoingCredit: nil)

    /// Whether items may still arrive.
    package private(set) var isIncomingOpen: Bool
    /// Whether items may still be sent.
    package private(set) var isOutgoingOpen: Bool
    /// Items that the peer may still send.
    package private(set) var incomingCredit: UInt32
    /// Items that we may still send.
    package private(set) var outgoingCredit: UInt32
    private var consumedItems: UInt32 = 0
    private let window: UInt32

    /// A call on which the peer may send `incomingWindow` items before they are consumed, and on
    /// which it has granted `outgoingCredit` items; nil for a direction without a stream.
    package init(incomingWindow: UInt32?, outgoingCredit: UInt32?) {
        isIncomingOpen = incomingWindow != nil
        isOutgoingOpen = outgoingCredit != nil
        incomingCredit = incomingWindow ?? 0
        self.outgoingCredit = outgoingCredit ?? 0
        window = incomingWindow ?? 0
    }

    /// Records an Item frame, which may carry an item, the end of the peer's items, or both.
    package mutating func arrived(isItem: Bool, isEnd: Bool) -> Arrival {
        guard isIncomingOpen else { return .afterEnd }
        if isItem {
            guard incomingCredit > 0 else { return .overCredit }
            incomingCredit -= 1
        }
        if isEnd { isIncomingOpen = false }
        return .sound
    }

    /// Records that the consumer has taken `count` items.
    /// - Returns: the credit to grant now; 0 for none.
    package mutating func consumed(_ count: UInt32) -> UInt32 {
        guard isIncomingOpen else { return 0 }
        precondition(
            count <= window - incomingCredit - consumedItems, "only what came is consumed")
        consumedItems += count
        guard consumedItems >= max(1, window / 2) else { return 0 }
        defer { consumedItems = 0 }
        incomingCredit += consumedItems
        return consumedItems
    }

    /// Records that the peer granted `items` more. The sum saturates at 2³² − 1.
    package mutating func granted(_ items: UInt32) {
        let (sum, isOver) = outgoingCredit.addingReportingOverflow(items)
        outgoingCredit = isOver ? .max : sum
    }

    /// Takes the credit for one item.
    /// - Returns: false, without effect, when there is none.
    package mutating func depart() -> Bool {
        guard isOutgoingOpen, outgoingCredit > 0 else { return false }
        outgoingCredit -= 1
        return true
    }

    /// Records that the last item was sent.
    /// - Returns: false when the direction was already ended.
    package mutating func endOutgoing() -> Bool {
        defer { isOutgoingOpen = false }
        return isOutgoingOpen
    }

    /// A peer's misuse of a stream; it ends the call.
    package enum Fault: Hashable, Sendable {
        /// An item in excess of the credit.
        case overCredit
        /// An item after the end, or on a call that takes none.
        case afterEnd
    }

    /// The result of trying to send an item.
    package enum Departure: Hashable, Sendable {
        case sent
        /// The credit is used up; more must be granted first.
        case noCredit
        /// The call has ended, or its last item was sent.
        case over
    }
}

/// The credit of one call's streams while the call runs, shared by the connection's call machine
/// and the call's stream. The machine checks incoming frames with it and ends it with the call; the
/// stream uses it to send. So an item needs no lookup of its call in a table.
///
/// After the end of the call it rejects everything, whichever of the two still refers to it.
package final class StreamCredit {
    private var current: StreamFlow
    /// The call was answered or removed.
    private var isOver = false

    /// The credit of a new call.
    package init(_ flow: StreamFlow) {
        current = flow
    }

    /// The remaining credit of both directions.
    package var flow: StreamFlow { current }

    /// Marks the call as ended.
    package func end() { isOver = true }

    // MARK: Incoming

    /// Records an Item.
    /// - Returns: its classification; nil when the call has ended.
    package func arrived(isItem: Bool, isEnd: Bool) -> StreamFlow.Arrival? {
        isOver ? nil : current.arrived(isItem: isItem, isEnd: isEnd)
    }

    /// Records that the consumer has taken `count` items.
    /// - Returns: the credit to grant now; 0 for none.
    package func consumed(_ count: UInt32) -> UInt32 {
        isOver ? 0 : current.consumed(count)
    }

    // MARK: Outgoing

    /// Records that the peer granted `items` more.
    /// - Returns: whether they can be used.
    package func granted(_ items: UInt32) -> Bool {
        guard !isOver, current.isOutgoingOpen else { return false }
        current.granted(items)
        return true
    }

    /// Takes the credit for an item to be sent.
    package func depart() -> StreamFlow.Departure {
        guard !isOver, current.isOutgoingOpen else { return .over }
        return current.depart() ? .sent : .noCredit
    }

    /// Records that the last item was sent.
    /// - Returns: whether the peer must be notified.
    package func endOutgoing() -> Bool {
        !isOver && current.endOutgoing()
    }
}

/// The part of a call machine that streams use; the same at the client and the server.
package protocol StreamMachine {
    /// What identifies the receiver of a call's events.
    associatedtype Handle

    /// Handles an Item frame, which may carry an item, the end of the peer's items, or both. When
    /// the instruction is to refuse, the call has ended.
    mutating func item(_ call: UInt64, isItem: Bool, isEnd: Bool) -> StreamInstruction<Handle>

    /// Handles a Credit frame.
    mutating func credit(_ call: UInt64, _ items: UInt32) -> StreamInstruction<Handle>

    /// Ends a running call from our side.
    /// - Returns: the handle to notify.
    mutating func giveUp(_ call: UInt64) -> Handle?

    /// The calls that run, each with its handle.
    func forEachRunning(_ body: (UInt64, Handle) -> Void)
}

/// How a connection must handle an Item or a Credit; decided by its call machine.
package enum StreamInstruction<Handle> {
    /// The peer violated the protocol: close the connection.
    case violation
    /// The call has ended, or the frame has no effect.
    case ignore
    /// Deliver it to the call.
    case deliver(Handle?)
    /// End the call with this fault: notify the call and the peer.
    case refuse(StreamFlow.Fault, Handle?)
}
