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
}
