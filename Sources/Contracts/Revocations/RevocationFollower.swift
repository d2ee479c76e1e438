package import ServiceRuntime

/// Follows a revocation feed across lost connections and restarts of the server, from the last
/// known position (S-06).
package struct RevocationFollower: Sendable {
    /// Requests revocations from a position of an epoch, both 0 at first, and passes each item to
    /// `take` until the call ends.
    package typealias Watch =
        @Sendable (
            _ position: UInt64, _ epoch: UInt64, _ take: (RevocationUpdate) -> Void
        ) async throws -> Void

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
    package func run(_ take: @escaping @Sendable (RevocationUpdate) -> Void) async {
        var position: UInt64 = 0
        var epoch: UInt64 = 0
        var backoff = Backoff(first: .milliseconds(50), most: waitMax)
        while !Task.isCancelled {
            do {
                try await watch(position, epoch) { item in
                    take(item)
                    (position, epoch) = (item.position, item.epoch)
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
