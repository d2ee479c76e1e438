import ArgumentParser
import IdentityAssembly
import IdentityService
import NotificationService
import RateLimitService
import ServiceRuntime
import SessionService
import Storage

/// What a restore has to know of a service with a store. The tool imports the services for this:
/// the last migration that this version knows, and the counts of what their next start ends.
struct StoredService: Sendable {
    let files: BackupEntry.Service
    /// The migrations that this version knows.
    let migrations: [Migration]
    /// What the first start on a restored copy ends, such as `open sessions`; in a store of
    /// `schema` only.
    let ends: @Sendable (any SQLSession, _ now: Timestamp) throws -> [(what: String, count: Int)]

    /// All of them, in the order of their ports.
    static let all = [
        StoredService(
            files: .identity, migrations: IdentityTables.migrations,
            ends: { try IdentityTables.endedByRestore(in: $0, at: $1) }),
        StoredService(
            files: .session, migrations: SessionTables.migrations,
            ends: { session, _ in try SessionTables.endedByRestore(in: session) }),
        StoredService(
            files: .rateLimit, migrations: RateLimitTables.migrations, ends: { _, _ in [] }),
        StoredService(
            files: .notification, migrations: NotificationStore.migrations,
            ends: { session, _ in try NotificationStore.endedByRestore(in: session) }),
    ]

    /// Its name.
    var name: String { files.name }

    /// The number of the last migration that this version knows.
    var schema: Int { migrations.count }

    /// The database file.
    var file: String { BackupEntry.database(store: files.store).name }

    /// The file of its master key in a folder of keys.
    var keyFile: String { "\(name).key" }

    /// Files that a program which has the store open holds locked.
    var locks: [String] {
        ["\(files.store).lock"] + files.journals.map { "\($0).journal-lock" }
    }

    /// Whether a copy of the store needs this file of a data folder: not the shared memory of
    /// SQLite, which is made again, nor a snapshot that was not complete.
    func copies(_ name: String) -> Bool {
        BackupEntry(name)?.service == files || name == "\(file)-wal"
    }

    /// Whether a file of a data folder is a part of the store.
    func has(_ name: String) -> Bool {
        copies(name) || ["-shm", "-journal"].contains { name == file + $0 }
            || files.journals.contains { name == "\($0).snapshot.draft" }
            || files.hasBlobs && name == BlobFolder.name
    }
}

extension StoredService: ExpressibleByArgument {
    init?(argument: String) {
        guard let service = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = service
    }

    static var allValueStrings: [String] { all.map { $0.name } }
}
