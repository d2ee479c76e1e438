/// What a timer holds of its connection: nothing once it is closed, so that it goes at once.
///
/// The event loop looks through all its timers to cancel one. With thousands of connections that
/// is long enough to be felt by all of them each time that one closes, and strangers close as often
/// as they like. So the timer of a connection that is gone is left to come and find nobody.
///
/// The connection cuts it rather than being held weakly: who is ever held so has its references
/// counted the slow way for good, and each call and item counts some.
final class TimerTarget {
    private(set) var connection: ServerConnection?

    init(_ connection: ServerConnection) {
        self.connection = connection
    }

    /// The connection is closed.
    func cut() { connection = nil }
}
