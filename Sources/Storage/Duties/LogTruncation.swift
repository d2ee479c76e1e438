import ServiceRuntime
import Synchronization

/// Truncates a store's write-ahead log within seconds after rows with personal data were deleted:
/// until then the log has copies of their pages (Sources/SECURITY.md, Erasure). Not in the call
/// that deletes, since a truncation waits for the disk and for readers.
package final class LogTruncation: Sendable {
    /// The longest time that a deleted row remains in the log, while nothing holds it.
    static let interval: Duration = .seconds(4)

    private let store: Store
    /// True at the start: a crash may have come before the truncation.
    private let isStale = Mutex(true)

    /// Of the log of `store`.
    package init(of store: Store) {
        self.store = store
    }

    /// Rows were deleted, and their deletion is committed.
    package func recordDeletion() { isStale.withLock { $0 = true } }

    /// Truncates the log if rows were deleted.
    package var duty: Duty {
        Duty("log-truncation", every: Self.interval) { [self] in
            try await truncate()
            return false
        }
    }

    /// Does so once.
    /// - Throws: as `Store.truncateLog`.
    package func truncate() async throws {
        guard takeStale() else { return }
        do {
            try await store.truncateLog()
        } catch {
            recordDeletion()
            throw error
        }
    }

    private func takeStale() -> Bool {
        isStale.withLock { stale in
            defer { stale = false }
            return stale
        }
    }
}
