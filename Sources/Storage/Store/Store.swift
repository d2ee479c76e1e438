import Cryptography
package import Logging
package import ServiceRuntime
import Synchronization

/// One service's durable state: one writer that commits in groups (`GroupCommit`) and a few
/// concurrent readers. Opening it migrates the schema and locks the store for this process.
///
/// What `write` has acknowledged survives `kill -9` and power failures. When the disk is full or
/// read-only, writes fail with `rpc/unavailable` and reads continue; writes work again once the
/// disk does.
package final class Store: Sendable {
    /// Where the store is.
    package let place: StorePlace
    /// The folder of the service's files, and of the store's own if it has any.
    package var folder: String { place.folder }
    /// The store's name: the stem of its files' names.
    package var name: String { place.name }
    /// The database file, or what people call the store on a server.
    package var location: String { place.location }
    /// Identifies this open store among instances of the service that share its database. It is
    /// random: a restarted service is another instance, and does not hold its predecessor's leases.
    package let instance: Int64
    /// Wakes the relay after each commit that added a message to the outbox.
    let outboxSignal = WakeSignal()
    /// How the machine's clock compared with the store's mark when it was opened, and whether the
    /// clock is not trusted yet.
    package let clock: ClockHold
    /// The latest moment that the store knew when it was opened; nil in a new one.
    package let lastMoment: Timestamp?
    /// Whether it is a restored copy that its service has not settled yet: a backup, or a file that
    /// was copied by hand (`StoreFileVerdict`).
    package let isRestoredCopy: Bool
    /// Whether writes reach the disk, for health.
    package let writes: PartCondition
    let logger: Logger
    /// How its audit trail is linked and cut; nil if it is neither.
    package let auditTrail: AuditTrail?
    private let limits: Limits
    let metrics: StoreMetrics
    private let watchdog: WriterWatchdog
    private let backend: any StoreBackend

    /// Opens the store at `place`, creates it if needed, and migrates its schema.
    /// - Parameters:
    ///   - acceptsClock: the operator confirms that the machine's clock is right.
    ///   - auditTrail: how the audit trail is linked and cut. Nil for neither: a program has
    ///     its service's.
    ///   - randomness: `instance` is drawn from it.
    ///   - backend: for tests, which put another in front of the store's own.
    /// - Throws: `StoreError`, whose description tells the operator what to do, or `SQLError`.
    package init(
        place: StorePlace, migrations: [Migration], limits: Limits = Limits(),
        acceptsClock: Bool = false, auditTrail: AuditTrail? = nil, time: any Time,
        randomness: any Randomness = SecureRandomness(), logger: Logger,
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws {
        try PrivateFile.makeFolder(place.folder)
        self.place = place
        let instance = randomness.rowKey()
        let metrics = StoreMetrics(name: place.name, time: time)
        let writes = PartCondition(time: time)
        let watchdog = WriterWatchdog(time: time)
        let opening = StoreOpening(
            migrations: migrations, limits: limits, acceptsClock: acceptsClock, instance: instance,
            time: time, logger: logger, metrics: metrics, writes: writes, watchdog: watchdog,
            signal: outboxSignal)
        let opened = try opening.open(place)
        metrics.setLastBackup(opened.backedUpAt)
        (self.instance, self.limits, self.logger) = (instance, limits, logger)
        (self.metrics, self.writes, self.watchdog) = (metrics, writes, watchdog)
        self.auditTrail = auditTrail
        isRestoredCopy = opened.isRestoredCopy
        lastMoment = opened.lastMoment
        clock = opened.clock
        self.backend = backend(opened.backend)
    }

    /// Whether it is on a server. One in files is copied by this program, and has one user.
    package var isOnServer: Bool {
        switch place {
        case .folder: false
        case .server: true
        }
    }

    /// Registers the store's parts with health, and its writer with `/livez`.
    package func report(to parts: ProgramParts) {
        let (writes, clock, watchdog) = (writes, clock, watchdog)
        parts.add("store") { writes.failure }
        parts.add("clock") { clock.failure }
        parts.addLiveness { watchdog.isAlive }
    }

    /// Runs `flow` in a transaction, and returns its value once that is on disk.
    ///
    /// A flow changes no memory; it returns what memory is to learn, and the caller changes memory
    /// after the commit. On a server a flow runs again after a lost connection or a deadlock.
    /// - Parameters:
    ///   - subjects: what the flow decides about, as far as it is known before (`Subject`);
    ///     `Transaction.lock` adds what the flow finds by reading.
    ///   - bulkBytes: about how many bytes it writes, if they are a person's documents or the like,
    ///     else 0: such flows wait behind all others, and `Limits` bounds how many wait and how
    ///     many bytes one commit carries. Two calls at one time have no order anyway, and one that
    ///     follows the answer to another sees its writes, whichever of the two is in bulk. Among
    ///     each other they take turns by the first account of `subjects`, or their first subject.
    ///   - evenIfCancelled: it runs although its task is cancelled. For what records something that
    ///     has happened already, like a password that was compared or a delivered message, and for
    ///     work that is not the caller's own.
    /// - Throws: what `flow` throws, which undoes all that it wrote and nothing else;
    ///   `ServiceError` `rpc/unavailable` when the disk fails or the store is closed, and
    ///   `rpc/resource-exhausted` when too many callers wait; `CancellationError` when the task was
    ///   cancelled before `flow` began, which then does not run; `SQLError` for other failures.
    package func write<Value: Sendable>(
        about subjects: [Subject], bulkBytes: Int = 0, evenIfCancelled: Bool = false,
        _ flow: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await value(evenIfCancelled: evenIfCancelled, of: flow) {
            (work) throws(QueueRefusal) in
            try backend.write(.flow(Flow(about: subjects, bulkBytes: bulkBytes, work: work)))
        }
    }

    /// Runs `query` on a reader's thread, on one snapshot of the committed data.
    /// - Throws: as `write`.
    package func read<Value: Sendable>(
        _ query: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await value(of: query) { (work) throws(QueueRefusal) in try backend.read(work) }
    }

    /// The value of queued work. Counts what was refused, and what was not begun.
    private func value<Source, Value: Sendable>(
        evenIfCancelled: Bool = false, of work: @escaping @Sendable (Source) throws -> Value,
        offer: (Queued<Source>) throws(QueueRefusal) -> Void
    ) async throws -> Value {
        do {
            return try await Queued.value(
                evenIfCancelled: evenIfCancelled, of: work, offer: offer)
        } catch let refusal as QueueRefusal {
            metrics.count(refusal)
            throw refused(refusal)
        } catch is CallerGone {
            metrics.countDropped()
            throw CancellationError()
        }
    }

    /// The longest time for which `snapshot` holds commits. Callers notice no more of it than of a
    /// slow disk.
    package static let holdMax: Duration = .milliseconds(100)

    /// Opens a snapshot of the store, for a backup, and holds commits for `time` after it. Reads
    /// continue.
    ///
    /// It returns as soon as commits are held: every flow that was answered before the call is in
    /// the snapshot, and no flow is answered before the hold is over, which ends by itself. So
    /// several stores that are held at one moment have snapshots of one state.
    /// - Parameter time: at most `holdMax`.
    /// - Throws: `rpc/unavailable` when the disk fails or the store is closed;
    ///   `rpc/resource-exhausted` when too many callers wait; `SQLError`.
    package func snapshot(holdingCommitsFor time: Duration) async throws -> StoreSnapshot {
        precondition(time <= Self.holdMax, "callers of the store wait for as long")
        guard case .folder(_, _, let engine) = place else {
            throw ServiceError(
                .unavailable,
                detail: "a store on a server is backed up with the server's own tools",
                notProcessed: true)
        }
        let (location, copy, logger) = (location, place.backupCopy, logger)
        return try await value { (_: Void) in
            try StoreSnapshot(of: location, engine: engine, copy: copy, logger: logger)
        } offer: { (work) throws(QueueRefusal) in
            try backend.write(.hold(time, work))
        }
    }

    /// Truncates the write-ahead log, so that no deleted data remains in it (Sources/SECURITY.md,
    /// Erasure).
    /// - Throws: `rpc/unavailable` when a reader or a `StoreSnapshot` holds it for longer than
    ///   0.1 s or the store is closed; `rpc/resource-exhausted` when too many callers wait.
    package func truncateLog() async throws {
        try await withCheckedThrowingContinuation { continuation in
            do throws(QueueRefusal) {
                try backend.write(.truncateLog(continuation))
            } catch {
                continuation.resume(throwing: refused(error))
            }
        }
    }

    /// How many flows wait for the writer.
    package var waitingWrites: Int { backend.waitingWrites }

    /// Finishes the queued work, rejects new calls, and releases the store. Blocks its thread until
    /// that is done; a second call does nothing.
    package func close() { backend.close() }

    /// The folder in a data folder into which a restore writes. It exists until all files are in
    /// their place.
    package static let restoring = "restoring"

    private func refused(_ refusal: QueueRefusal) -> ServiceError {
        StoreFailure.answer(to: refusal, retryAfter: limits.retryAfter)
    }

    /// A store's limits on concurrent work.
    package struct Limits: Sendable {
        /// Flows that share one commit. 128 give 70 × the writes of one each, and the gain
        /// flattens. A failed commit fails them all.
        package var groupFlowsMax = 256
        /// Flows that wait for the writer; at 10,000/s that is 0.4 s of work.
        package var waitingWritesMax = 4_096
        /// Bulk flows that wait for the writer, in addition; at 5,000/s that is 0.2 s of work.
        package var waitingBulkWritesMax = 1_024
        /// Those of one account: more than a device sends at once by its limits
        /// (`document-write-by-account`: 30). Its own calls beyond it are refused.
        package var waitingBulkWritesOfOneMax = 32
        /// Bytes of the bulk flows that share one commit, of which there is at least one: a sign-in
        /// that arrives during a commit waits until the disk has taken them.
        package var bulkBytesMax = 4 << 20
        /// Queries that wait for a reader.
        package var waitingReadsMax = 4_096
        /// Reader threads, each with its own connection.
        package var readers = 2
        /// How long the writer waits, after a commit that several flows shared, for as many to
        /// arrive again: answered callers need a moment to call again, and without this wait every
        /// other commit would carry only the fastest of them. A tenth of a commit's time. The
        /// expected number decays by a quarter with each smaller commit.
        package var gatheringMax: Duration = .microseconds(250)
        /// The retry delay sent to a refused caller.
        package var retryAfter: Duration = .milliseconds(250)

        /// The limits for programs.
        package init() {}
    }
}
