import Logging
import ServiceRuntime
import Storage
import Synchronization

/// What workers do when there is nothing to send: delete messages that ended long ago, and erase
/// the content of ended messages from the store's write-ahead log (Sources/SECURITY.md, Erasure).
final class OutboxMaintenance: Sendable {
    /// How often messages that ended long ago are deleted.
    static let forgetsEvery: Duration = .seconds(3_600)
    /// How long after a message's end its content may remain in the log. Truncating the log costs a
    /// few disk writes, so it is not done for each message.
    static let wipesWithin: Duration = .seconds(10)
    /// Rows deleted in one transaction.
    private static let batchMax = 500

    private let store: Store
    private let time: any Time
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// Nil for at once.
        var forgetsNextAt: Timestamp?
        /// Nil while the log has no content of ended messages.
        var wipesAt: Timestamp?
    }

    init(store: Store, time: any Time, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// A message has ended. Its content must be erased from the log.
    func recordEnd() {
        let moment = time.now() + Self.wipesWithin
        state.withLock { $0.wipesAt = $0.wipesAt ?? moment }
    }

    /// Runs the maintenance tasks that are due.
    /// - Returns: how long there is nothing more to do.
    /// - Throws: store errors.
    func work() async throws -> Duration {
        let now = time.now()
        let (forgets, wipes) = state.withLock { state in
            (
                state.forgetsNextAt.map { $0 <= now } ?? true,
                state.wipesAt.map { $0 <= now } ?? false
            )
        }
        if wipes { await wipeOrWait() }
        if forgets, try await forgetOld() {
            state.withLock { $0.forgetsNextAt = now + Self.forgetsEvery }
        }
        return state.withLock { state in
            [state.forgetsNextAt, state.wipesAt].compactMap { $0.map { $0 - now } }
                .min().map { max($0, .milliseconds(1)) } ?? .milliseconds(1)
        }
    }

    /// Truncates the store's log now.
    /// - Throws: `rpc/unavailable` when a reader or a backup holds it. Then it is retried later.
    func wipe() async throws {
        state.withLock { $0.wipesAt = nil }
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

    /// - Returns: whether nothing old is left.
    private func forgetOld() async throws -> Bool {
        try await store.write(about: [.table("dead_letter")]) { transaction in
            let letters = try transaction.forgetDeadLetters(limit: Self.batchMax)
            let messages = try transaction.forgetMessages(
                endedBefore: transaction.at - NotificationStore.retention, limit: Self.batchMax)
            return max(letters, messages) < Self.batchMax
        }
    }
}
