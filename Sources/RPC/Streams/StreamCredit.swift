/// The credit of one call's streams while the call runs. Its connection's machine and its stream
/// hold it together: the machine judges frames by it and says when the call is over, the stream
/// sends by it, so that no item has to look for its call in a table.
///
/// Once the call is over nothing moves any more, whoever still holds it.
package final class StreamCredit {
    private var current: StreamFlow
    /// The call was answered, or has gone.
    private var isOver = false

    /// The credit of a call that begins.
    package init(_ flow: StreamFlow) {
        current = flow
    }

    /// What may still go either way.
    package var flow: StreamFlow { current }

    /// The call is over.
    package func end() { isOver = true }

    // MARK: Coming

    /// An Item came.
    /// - Returns: its fate; nil when the call is over.
    package func arrived(isItem: Bool, isEnd: Bool) -> StreamFlow.Arrival? {
        isOver ? nil : current.arrived(isItem: isItem, isEnd: isEnd)
    }

    /// The consumer has taken `count` items.
    /// - Returns: the credit to grant now; 0 for none.
    package func consumed(_ count: UInt32) -> UInt32 {
        isOver ? 0 : current.consumed(count)
    }

    // MARK: Going

    /// The peer grants `items` more.
    /// - Returns: whether they are of use.
    package func granted(_ items: UInt32) -> Bool {
        guard !isOver, current.isOutgoingOpen else { return false }
        current.granted(items)
        return true
    }

    /// There is an item to send.
    package func depart() -> Departure {
        guard !isOver, current.isOutgoingOpen else { return .over }
        return current.depart() ? .sent : .noCredit
    }

    /// The last item was sent.
    /// - Returns: whether the peer is to be told.
    package func endOutgoing() -> Bool {
        !isOver && current.endOutgoing()
    }
}
