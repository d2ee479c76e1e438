package import Messages
package import RPC
package import ServiceRuntime

/// Follows ends wherever they are told, over lost connections and restarts of the teller, from the
/// last position that it knows (S-06).
package struct EndsFollower: Sendable {
    /// Asks for ends from a position.
    package typealias Watch =
        @Sendable (SessionV1.WatchEndsRequest) -> IncomingItems<SessionV1.WatchEndsItem>

    /// The wait before asking again grows up to this, so that a teller that comes back is heard
    /// soon.
    private static let waitMax: Duration = .seconds(2)

    private let watch: Watch
    private let time: any Time
    private let randomness: any Randomness

    /// A follower that asks by `watch`.
    package init(time: any Time, randomness: any Randomness, watch: @escaping Watch) {
        self.watch = watch
        self.time = time
        self.randomness = randomness
    }

    /// Hands each item to `take`, until the task is cancelled.
    package func run(_ take: @escaping @Sendable (SessionV1.WatchEndsItem) -> Void) async {
        var position: UInt64 = 0
        var backoff = Backoff(first: .milliseconds(50), most: Self.waitMax)
        while !Task.isCancelled {
            do {
                for try await item in watch(SessionV1.WatchEndsRequest(position: position)) {
                    take(item)
                    position = item.position
                    backoff.reset()
                }
            } catch is CancellationError {
                return
            } catch {
                // Why it ended changes nothing: it is asked again. Silence is what is noticed.
                guard !Task.isCancelled else { return }
            }
            // Cancelled in its sleep, it leaves.
            try? await time.sleep(for: backoff.next(jitter: randomness.integer()))
        }
    }
}
