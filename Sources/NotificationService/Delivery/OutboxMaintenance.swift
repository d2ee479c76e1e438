import Logging
import ServiceRuntime
import Storage
import Synchronization

/// What workers do when there is nothing to send: erase the content of ended messages from the
/// store's write-ahead log (Sources/SECURITY.md, Erasure). No `Duty`: the log is a file of this
/// process.
final class OutboxMaintenance: Sendable {
    /// How long after a message's end its content may remain in the log. Truncating the log costs a
    /// few disk writes, so it is not done for each message.
    static let wipesWithin: Duration = .seconds(10)

    private let store: Store
    private let time: any Time
    private let logger: Logger
    /// Nil while the log has no content of ended messages.
    private let wipesAt = Mutex<Timestamp?>(nil)

    init(store: Store, time: any Time, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// A message has ended. Its content must be erased from the log.
    func recordEnd() {
        let moment = time.now() + Self.wipesWithin
        wipesAt.withLock { $0 = $0 ?? moment }
    }

    /// Erases if that is due.
    /// - Returns: how long there is nothing more to do.
    func work() async -> Duration {
        let now = time.now()
        if let due = wipesAt.withLock({ $0 }), due <= now { await wipeOrWait() }
        guard let next = wipesAt.withLock({ $0 }) else { return DeliveryWorker.sleepMax }
        return max(next - now, .milliseconds(1))
    }

    /// Truncates the store's log now.
    /// - Throws: `rpc/unavailable` when a reader or a backup holds it. Then it is retried later.
    func wipe() async throws {
        wipesAt.withLock { $0 = nil }
        do {
            try await store.truncateLog()
        } catch {
            recordEnd()
            throw error
        }
    }

    private func wipeOrWait() async {
        do {
            try await wipe()
        } catch {
            logger.warning(
                "notification.cleanup.failed", "erasing delivered messages from the WAL failed",
                fields: [.detail: .error(error)])
        }
    }
}
