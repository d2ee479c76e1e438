/// What a timer holds of its connection: nothing, so that a closed one goes at once.
///
/// The event loop looks through all its timers to cancel one. With thousands of connections that
/// is long enough to be felt by all of them each time that one closes, and strangers close as often
/// as they like. So the timer of a connection that is gone is left to come and find nobody.
final class Leash {
    private(set) weak var connection: ServerConnection?

    init(_ connection: ServerConnection) {
        self.connection = connection
    }
}
