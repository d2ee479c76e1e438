import Glibc
package import Logging
package import ServiceRuntime
package import Storage

/// Opens the stores of tests and benchmarks. `POSTERN_TEST_STORE` chooses their engine, here only:
/// `embedded`, SQLite in the test's folder behind `SubjectChecks`, which is the default, or
/// `server`, a schema of a PostgreSQL that this process starts (`TestServer`).
package enum TestStore {
    /// Opens the store `name` in `folder`, creates it if needed, and migrates it. The same call
    /// opens it again once it is closed.
    /// - Parameters:
    ///   - engine: An embedded engine instead of the chosen one, for example one that fails.
    ///   - backend: Puts another in front, for example `Interleavings`.
    ///   - logger: By default it renders all lines, and they are dropped.
    /// - Throws: `UnknownEngine`, `StoreError`, `SQLError`; `TestServer.NotStarted`.
    package static func open(
        _ name: String, _ migrations: [Migration], in folder: String,
        engine: (any SQLEngine)? = nil, limits: Store.Limits = Store.Limits(),
        acceptsClock: Bool = false, auditTrail: AuditTrail? = nil,
        time: any Time = ManualTime(), logger: Logger? = nil,
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws -> Store {
        let chosen = try Self.engine(getenv("POSTERN_TEST_STORE").map { String(cString: $0) })
        let place: StorePlace =
            switch (engine, chosen) {
            case (let engine?, _): .folder(folder, name: name, engine: engine)
            case (nil, .embedded): .folder(folder, name: name, engine: SubjectChecks())
            case (nil, .server):
                .server(
                    try TestServer.shared.get().schema(of: name, in: folder), folder: folder,
                    name: name)
            }
        return try Store(
            place: place, migrations: migrations, limits: limits, acceptsClock: acceptsClock,
            auditTrail: auditTrail, time: time,
            logger: logger ?? CapturedLog().logger(time: time), backend: backend)
    }

    /// The engines that `POSTERN_TEST_STORE` can name.
    package enum Engine: String {
        /// SQLite.
        case embedded
        /// PostgreSQL.
        case server
    }

    /// The engine that `POSTERN_TEST_STORE` names.
    /// - Throws: `UnknownEngine`.
    package static func engine(_ name: String?) throws -> Engine {
        guard let name else { return .embedded }
        guard let engine = Engine(rawValue: name) else { throw UnknownEngine(name: name) }
        return engine
    }

    /// How many flows of a store can run at once.
    package static var writers: Int { chosen == .server ? TestServer.connections : 1 }

    private static var chosen: Engine? {
        try? engine(getenv("POSTERN_TEST_STORE").map { String(cString: $0) })
    }

    /// Whether this suite runs with the chosen engine. What cannot run on a server is in
    /// `embeddedOnly`, with its reason.
    package static func runs(_ suite: String) -> Bool {
        chosen != .server || embeddedOnly[suite] == nil
    }

    /// The suites that cannot run on a server, and why.
    package static let embeddedOnly = [
        "BackupTests": "snapshots and copies of files",
        "GroupCommitTests": "several flows in one commit, and one writer",
        "GoneCallerTests": "holds the one writer",
        "NoStoreTests": "files that are no store",
        "OutboxLeaseTests": "two instances, of which a server has one for now",
        "RestoredCopyTests": "copies of files",
        "SchemaCheckTests": "the schema that a file has",
        "StoreFileTests": "files",
        "StoreTests": "the lock's file, the log, and one writer",
        "DiskFullTests": "the size of a file",
        "ClockMarkTests": "the boot of one machine",
        "SubjectChecksTests": "triggers of SQLite",
        "InterleavingsTests": "one connection for two flows",
        "CrashTests": "a program with a folder",
    ]

    /// `POSTERN_TEST_STORE` names an engine that does not exist.
    package struct UnknownEngine: Error, CustomStringConvertible {
        let name: String

        /// What is wrong, for the person who set the variable.
        package var description: String {
            "POSTERN_TEST_STORE is '\(name)': only 'embedded' and 'server' exist"
        }
    }
}
