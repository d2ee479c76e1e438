import Contracts
import ServiceRuntime
import Storage

/// Moves guests' documents into accounts, and deletes kept guests when their time is over (G-16). It
/// is woken after each choice.
///
/// Each step is one transaction (`MigrationStep`) that reads both sides, moves a few documents and
/// counts them. A crash between two steps loses nothing: what was moved is no longer there to move.
struct MigrationJob: Sendable {
    /// How soon it goes on by itself, after a failure, a cancelled deletion, or the end of a keep.
    static let interval: Duration = .seconds(30)
    /// Migrations that one read finds.
    private static let batch: Int64 = 32

    let documents: AccountDocumentsHandler
    let guests: GuestSettlement
    /// The streams that wait for a change of an account's migrations.
    let watchers: AccountWatchers

    private var store: Store { documents.store }

    var duty: Duty {
        Duty("guest-data", every: Self.interval, wokenBy: guests.job) {
            try await run()
            return false
        }
    }

    /// Performs all migrations that can go on. One that fails does not keep the others from it.
    /// - Throws: the last failure.
    func run() async throws {
        try await endKeeps()
        var (last, failure) = (Int64(0), (any Error)?.none)
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
        let progress = try await store.write(
            about: migration.subjects, bulkBytes: MigrationStep.bytesMax
        ) { transaction in
            guard let now = try transaction.migration(migration.migration), now.state.isActive
            else { return MigrationStep.Progress.ended }
            return try MigrationStep(now, documents, guests, transaction).run()
        }
        documents.watchers.changed(migration.account)
        if let guest = migration.guest { documents.watchers.changed(guest) }
        watchers.changed(migration.account)
        if progress == .ended { guests.deletion.wake() }
        return progress == .goesOn
    }

    /// Begins the deletion of kept guests whose time is over.
    private func endKeeps() async throws {
        while true {
            let now = documents.time.now()
            let ended = try await store.read { try $0.endedKeeps(at: now, limit: Self.batch) }
            guard !ended.isEmpty else { return }
            for keep in ended {
                try await store.write(about: keep.subjects) { transaction in
                    guard let keep = try transaction.migration(keep.migration),
                        keep.keptUntil != nil
                    else { return }
                    if let guest = keep.guest,
                        try transaction.documentOwner(guest)?.isGuest == true
                    {
                        try guests.delete(guest, transaction)
                    }
                    try transaction.endKeep(keep)
                }
            }
            guests.deletion.wake()
        }
    }
}
