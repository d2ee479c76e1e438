import Logging
package import ServiceRuntime

/// Keeps a store's clock mark fresh where nobody writes: a service that idled for days must not
/// look, at its next start, like one that was off for days. And looks whether the machine's clock,
/// if the time waits for it, can be taken again.
package struct ClockMarking: Sendable {
    /// While writes fail: how often one is tried, so that health sees soon that they work again.
    private static let retryEvery: Duration = .seconds(1)

    private let store: Store
    private let time: any Time

    /// For `store`, whose commits carry the mark.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Works until cancelled.
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
