import Logging
import ServiceRuntime
import Storage
import Synchronization

/// What the workers do while there is nothing to send: forget messages that ended long ago, and
/// wipe what ended messages said out of the store's log (Sources/SECURITY.md, Erasure).
final class OutboxUpkeep: Sendable {
    /// How often messages that ended long ago are forgotten.
    static let forgetsEvery: Duration = .seconds(3_600)
    /// So long after a message's end its content may stand in the log. Emptying the log costs a
    /// few writes to the disk, so it is not done for each message.
    static let wipesWithin: Duration = .seconds(10)
    /// Rows forgotten at once.
    private static let batchMax = 500

    private let store: Store
    private let time: any Time
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// Nil for at once.
        var forgetsNextAt: Timestamp?
        /// Nil while the log holds nothing that has ended.
        var wipesAt: Timestamp?
    }

    init(store: Store, time: any Time, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// A message has ended, and with it the need for its content.
    func noteEnd() {
        let moment = time.now() + Self.wipesWithin
        state.withLock { $0.wipesAt = $0.wipesAt ?? moment }
    }

    /// Does what is due.
    /// - Returns: how long there is nothing more to do.
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

    /// Empties the store's log now.
    /// - Throws: `rpc/unavailable` when a reader or a backup holds it; then it is tried again later.
    func wipe() async throws {
        state.withLock { $0.wipesAt = nil }
        do {
            try await store.truncateLog()
        } catch {
            noteEnd()
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
        try await store.write { transaction in
            let letters = try transaction.forgetDeadLetters(limit: Self.batchMax)
            let messages = try transaction.forgetMessages(
                endedBefore: transaction.at - NotificationStore.keptFor, limit: Self.batchMax)
            return max(letters, messages) < Self.batchMax
        }
    }
}
