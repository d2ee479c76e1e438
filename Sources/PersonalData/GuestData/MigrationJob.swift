import Contracts
import IdentityService
import Logging
import ServiceRuntime
import Storage

/// Moves guests' documents into accounts, and deletes kept guests when their time is over (G-16).
/// It is woken after each choice.
///
/// Each step moves a few documents and counts them in one transaction (`MigrationStep`). A crash
/// between two steps loses nothing: what was moved is no longer there to move.
struct MigrationJob: Sendable {
    /// How soon it goes on by itself, after a failure, a cancelled deletion, or the end of a keep.
    static let interval: Duration = .seconds(30)
    /// How often a step is prepared while the account's documents are written, before the others
    /// come first. It goes on after `interval`.
    private static let attemptsMax = 3
    /// Migrations that one read finds.
    private static let batch: Int64 = 32

    let documents: DocumentsHandler
    let guests: GuestSettlement
    /// The streams that wait for a change of an account's migrations.
    let watchers: AccountWatchers
    let logger: Logger

    private var store: Store { documents.store }

    var duty: Duty {
        Duty("guest-data", every: Self.interval, wokenBy: guests.job) {
            try await run()
            return false
        }
    }

    /// Performs all migrations that can go on, and ends kept guests. One that fails does not keep
    /// the others from it.
    /// - Throws: the last failure.
    func run() async throws {
        var (last, failure) = (Int64(0), (any Error)?.none)
        do { try await endKeeps() } catch { failure = error }
        while true {
            let next = try await store.read { [last] in
                try $0.activeMigrations(after: last, limit: Self.batch)
            }
            guard let latest = next.last else { break }
            last = latest.migration.key
            for migration in next {
                do {
                    while try await advance(migration) {}
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
    }

    /// One step of a migration.
    /// - Returns: whether there is more to do.
    func advance(_ migration: StoredMigration) async throws -> Bool {
        let step = MigrationStep(documents: documents, guests: guests, logger: logger)
        var progress = MigrationStep.Progress.outdated
        for _ in 1...Self.attemptsMax where progress == .outdated {
            let found = try await store.read { try step.find(migration.migration, in: $0) }
            let prepared = try await offLoop { try found.map(step.prepare) }
            progress = try await store.write(
                about: migration.subjects, bulkBytes: prepared?.bytes ?? 0
            ) { transaction in
                guard let now = try transaction.migration(migration.migration), now.state.isActive
                else { return MigrationStep.Progress.ended }
                return try step.run(now, prepared, transaction)
            }
        }
        documents.watchers.changed(migration.account)
        if let guest = migration.guest { documents.watchers.changed(guest) }
        watchers.changed(migration.account)
        if progress == .ended { guests.deletions.wake() }
        return progress == .goesOn
    }

    /// Begins the deletion of kept guests whose time is over.
    /// - Throws: the last failure.
    private func endKeeps() async throws {
        let now = documents.time.now()
        var (last, failure) = (Int64(0), (any Error)?.none)
        while true {
            let ended = try await store.read { [last] in
                try $0.endedKeeps(at: now, after: last, limit: Self.batch)
            }
            guard let latest = ended.last else { break }
            last = latest.migration.key
            for keep in ended {
                do { try await end(keep) } catch { failure = error }
            }
            guests.deletions.wake()
        }
        if let failure { throw failure }
    }

    private func end(_ keep: StoredMigration) async throws {
        try await store.write(about: keep.subjects) { transaction in
            guard let keep = try transaction.migration(keep.migration), keep.keptUntil != nil
            else { return }
            if let guest = try keep.guest.flatMap(transaction.documentOwner), guest.isGuest {
                // The operator wants to see it as it is. It goes when it is restored.
                guard guest.status != .suspended else { return }
                try guests.delete(guest.account, transaction)
            }
            try transaction.endKeep(keep)
        }
    }
}
