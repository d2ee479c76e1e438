package import Messages
package import RPC
package import ServiceRuntime

/// Follows a revocation feed across lost connections and restarts of the server, from the last
/// known position (S-06).
package struct RevocationFollower: Sendable {
    /// Requests revocations from a position.
    package typealias Watch =
        @Sendable (SessionV1.WatchRevocationsRequest) -> IncomingItems<
            SessionV1.WatchRevocationsItem
        >

    private let watch: Watch
    private let waitMax: Duration
    private let time: any Time
    private let randomness: any Randomness

    /// A follower that requests the feed with `watch`, and retries with a backoff that grows up to
    /// `waitMax`.
    package init(
        waitMax: Duration, time: any Time, randomness: any Randomness, watch: @escaping Watch
    ) {
        self.watch = watch
        self.waitMax = waitMax
        self.time = time
        self.randomness = randomness
    }

    /// Passes each item to `take`, until the task is cancelled.
    package func run(_ take: @escaping @Sendable (SessionV1.WatchRevocationsItem) -> Void) async {
        var place = SessionV1.WatchRevocationsRequest()
        var backoff = Backoff(first: .milliseconds(50), most: waitMax)
        while !Task.isCancelled {
            do {
                for try await item in watch(place) {
                    take(item)
                    place = SessionV1.WatchRevocationsRequest(
                        position: item.position, epoch: item.epoch)
                    backoff.reset()
                }
            } catch is CancellationError {
                return
            } catch {
                // The reason does not matter: the feed is requested again. Stale state is detected
                // by its age.
                guard !Task.isCancelled else { return }
            }
            // `try?`: when the sleep is cancelled, the loop ends.
            try? await time.sleep(for: backoff.next(jitter: randomness.integer()))
        }
    }
}
