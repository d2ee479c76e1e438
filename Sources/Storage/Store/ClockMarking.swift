import Logging
package import ServiceRuntime

/// Keeps a store's clock mark current when there are no writes: a service that was idle for days
/// must not look, at its next start, like one that was off for days. Also checks whether the
/// machine's clock can be trusted again, where the service waits for that.
package struct ClockMarking: Sendable {
    /// The interval while writes fail, so that health soon sees that they work again.
    private static let retryEvery: Duration = .seconds(1)

    private let store: Store
    private let time: any Time

    /// For `store`, whose commits write the mark.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Runs until cancelled.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        while true {
            let rest = store.writes.trouble == nil ? ClockMark.interval : Self.retryEvery
            try await time.sleep(for: rest)
            _ = store.clock.isHeld
            do {
                try await store.write { _ in }
            } catch {
                store.logger.warning(
                    "store.clock_mark.failed", "writing the store's clock mark failed",
                    fields: [.detail: .error(error)])
            }
        }
    }
}
