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
    package func depart() -> Departure {
        guard !isOver, current.isOutgoingOpen else { return .over }
        return current.depart() ? .sent : .noCredit
    }

    /// Records that the last item was sent.
    /// - Returns: whether the peer must be notified.
    package func endOutgoing() -> Bool {
        !isOver && current.endOutgoing()
    }
}
