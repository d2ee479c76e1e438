/// The streams of one call as one side sees them: which directions are open, and how many items
/// may still go either way (Protos/README.md, "Streams").
///
///     incoming   open ──end──▶ ended        each item takes one of the credit that we granted;
///                                           what is consumed is granted again, half a window at once
///     outgoing   open ──end──▶ ended        each item takes one of the credit that the peer granted
///
/// At every moment: credit granted and unused + items that came and are not consumed + items
/// consumed and not granted again = the window. So a peer can make us keep no more than a window,
/// and as the rest is at most half of one, a sender whose items are consumed never starves.
package struct StreamFlow: Hashable, Sendable {
    /// What an Item that came is.
    package enum Arrival: Hashable, Sendable {
        case sound
        /// More than was granted.
        case overCredit
        /// The peer had sent its last.
        case afterEnd
    }

    /// A call without streams.
    package static let none = StreamFlow(incomingWindow: nil, outgoingCredit: nil)

    /// Items may still come.
    package private(set) var isIncomingOpen: Bool
    /// Items may still be sent.
    package private(set) var isOutgoingOpen: Bool
    /// Items that the peer may still send.
    package private(set) var incomingCredit: UInt32
    /// Items that may still be sent.
    package private(set) var outgoingCredit: UInt32
    private var consumedItems: UInt32 = 0
    private let window: UInt32

    /// A call on which the peer may send `incomingWindow` items ahead of their consumer, and on
    /// which it has granted `outgoingCredit`; nil where a direction has no stream.
    package init(incomingWindow: UInt32?, outgoingCredit: UInt32?) {
        isIncomingOpen = incomingWindow != nil
        isOutgoingOpen = outgoingCredit != nil
        incomingCredit = incomingWindow ?? 0
        self.outgoingCredit = outgoingCredit ?? 0
        window = incomingWindow ?? 0
    }

    /// An Item came, with an item in it or not, and perhaps the peer's last.
    package mutating func arrived(isItem: Bool, isEnd: Bool) -> Arrival {
        guard isIncomingOpen else { return .afterEnd }
        if isItem {
            guard incomingCredit > 0 else { return .overCredit }
            incomingCredit -= 1
        }
        if isEnd { isIncomingOpen = false }
        return .sound
    }

    /// The consumer has taken `count` of the items that came.
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

    /// The peer has granted `items` more. What is beyond 2³² − 1 is as good as that.
    package mutating func granted(_ items: UInt32) {
        let (sum, isOver) = outgoingCredit.addingReportingOverflow(items)
        outgoingCredit = isOver ? .max : sum
    }

    /// Takes the credit for one item.
    /// - Returns: false, with nothing taken, when there is none.
    package mutating func depart() -> Bool {
        guard isOutgoingOpen, outgoingCredit > 0 else { return false }
        outgoingCredit -= 1
        return true
    }

    /// The last item was sent.
    /// - Returns: false when it was before.
    package mutating func endOutgoing() -> Bool {
        defer { isOutgoingOpen = false }
        return isOutgoingOpen
    }
}
