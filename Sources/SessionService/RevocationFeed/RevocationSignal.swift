/// Wakes the relay of ends: after a commit that ended a session, and when keys change. Several
/// rings count as one, and one while nobody listens is kept.
struct RevocationSignal: Sendable {
    /// The rings; one listener.
    let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the listener, or the next time that it listens.
    func wake() { continuation.yield() }
}
