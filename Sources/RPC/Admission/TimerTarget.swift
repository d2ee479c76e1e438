/// A timer's reference to its connection. It is cleared when the connection closes, so that the
/// connection is freed at once.
///
/// To cancel a timer, the event loop searches all its timers. With thousands of connections this
/// would delay all of them each time one closes, and unauthenticated peers can close as often as
/// they like. So the timer of a closed connection is not cancelled; it fires and finds nothing.
///
/// The reference is cleared by the connection and is not weak: an object that ever had a weak
/// reference uses slower reference counting from then on, in every call and for every item.
final class TimerTarget {
    private(set) var connection: ServerConnection?

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    /// The connection is closed.
    func cut() { connection = nil }
}
