/// Wakes the relay of revocations: after a commit that ended a session, and when keys change.
/// Several signals count as one, and one without a listener is kept.
struct RevocationSignal: Sendable {
    /// The signals, for one listener.
    let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the listener, now or when it next waits.
    func wake() { continuation.yield() }
}
