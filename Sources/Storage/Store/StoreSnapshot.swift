import Glibc
import Logging
import ServiceRuntime
import Synchronization

/// One committed state of a store, for a backup (`Store.snapshot`). While it exists, writers
/// continue, and the write-ahead log grows.
package final class StoreSnapshot: Sendable {
    /// The nice value of the thread that copies: the service's own work goes first.
    private static let niceness: Int32 = 10

    /// The last migration of each component (`storage`, `service`).
    package let schema: [String: Int]
    /// The check value of the store's master key; nil in a store of a version that wrote none.
    package let keyCheck: [UInt8]?
    private let location: String
    /// Where the copy is made.
    private let copy: String
    private let logger: Logger
    private let connection: Mutex<(any SQLConnection)?>
    private let isStopped = Atomic<Bool>(false)

    /// Opens a snapshot of the latest committed state.
    init(of location: String, engine: any SQLEngine, copy: String, logger: Logger) throws {
        let connection = try engine.openReader(location)
        try connection.beginReading()
        schema = try connection.lastMigrations()
        keyCheck = try connection.keyCheck()
        self.location = location
        self.copy = copy
        self.logger = logger
        self.connection = Mutex(connection)
    }

    /// Copies the snapshot to a file of its own, marked as a backup, and checks every page of it.
    /// The copy has no name any more when this returns: its space is free once the result is
    /// released, or the process has ended. This ends the snapshot, so it works once.
    ///
    /// It takes as much space as the store, in the same folder. When the task is cancelled, it
    /// stops and removes what it has copied. A store has one copy at a time.
    /// - Throws: `SQLError` of kind `corrupt` when a page of the store is damaged;
    ///   `rpc/unavailable` when the disk fails or is full, or another copy is being made;
    ///   `CancellationError`.
    package func copied() async throws -> OpenFile {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    _ = try OSThread(niceness: Self.niceness) { [self] in
                        continuation.resume(with: Result { try makeCopy() })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            isStopped.store(true, ordering: .relaxed)
        }
    }

    private func makeCopy() throws -> OpenFile {
        try connection.withLock { connection in
            guard let snapshot = connection else { preconditionFailure("it is copied once") }
            // In any case, because the snapshot holds the log.
            defer { connection = nil }
            do {
                // Fails while another copy is made: one at a time.
                try PrivateFile.create(copy)
                defer { Self.removeCopy(copy) }
                try snapshot.copySnapshot(to: copy) { isStopped.load(ordering: .relaxed) }
                return try OpenFile(copy, name: PrivateFile.name(of: location))
            } catch {
                if !(error is CancellationError) {
                    // The caller gets no more than a code.
                    logger.warning(
                        "store.backup.failed", "the copy of this store for a backup failed",
                        fields: [.file: .text(location), .detail: .error(error)])
                }
                throw StoreFailure.answer(to: error)
            }
        }
    }

    /// Removes a copy, and what SQLite may have put beside it: while pages are copied, a journal.
    /// One that cannot be removed makes the next copy fail.
    static func removeCopy(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
