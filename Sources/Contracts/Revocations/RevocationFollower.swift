package import Messages
package import RPC
package import ServiceRuntime

/// Follows ends wherever they are told, over lost connections and restarts of the teller, from the
/// last position that it knows (S-06).
package struct RevocationFollower: Sendable {
    /// Asks for ends from a position.
    package typealias Watch =
        @Sendable (SessionV1.WatchEndsRequest) -> IncomingItems<SessionV1.WatchEndsItem>

    private let watch: Watch
    private let waitMax: Duration
    private let time: any Time
    private let randomness: any Randomness

    /// A follower that asks by `watch`, and again after a wait that grows up to `waitMax`.
    package init(
        waitMax: Duration, time: any Time, randomness: any Randomness, watch: @escaping Watch
    ) {
        self.watch = watch
        self.waitMax = waitMax
        self.time = time
        self.randomness = randomness
    }

    /// Hands each item to `take`, until the task is cancelled.
    package func run(_ take: @escaping @Sendable (SessionV1.WatchEndsItem) -> Void) async {
        var place = SessionV1.WatchEndsRequest()
        var backoff = Backoff(first: .milliseconds(50), most: waitMax)
        while !Task.isCancelled {
            do {
                for try await item in watch(place) {
                    take(item)
                    place = SessionV1.WatchEndsRequest(position: item.position, epoch: item.epoch)
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
