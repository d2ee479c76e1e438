import Glibc
package import Logging
package import ServiceRuntime
package import Storage

/// Opens the stores of tests and benchmarks. `POSTERN_TEST_STORE` chooses their engine, here only:
/// `embedded`, SQLite in the test's folder behind `SubjectChecks`, which is the default, or
/// `server`, a schema of a PostgreSQL that this process starts (`TestServer`). SQL that tests write
/// by `Store.writeUnchecked` is in SQLite's words (`TestWords`).
package enum TestStore {
    /// Opens the store `name` in `folder`, creates it if needed, and migrates it. The same call
    /// opens it again once it is closed.
    /// - Parameters:
    ///   - engine: An embedded engine instead of the chosen one, for example one that fails. The
    ///     test runs on it whichever is chosen.
    ///   - server: What a store on a server has otherwise than others.
    ///   - backend: Puts another in front, for example `Interleavings`.
    ///   - logger: By default it renders all lines, and they are dropped.
    /// - Throws: `UnknownEngine`, `StoreError`, `SQLError`; `TestServer.NotStarted`, `NoFolder`.
    package static func open(
        _ name: String, _ migrations: [Migration], in folder: String,
        engine: (any SQLEngine)? = nil, limits: Store.Limits = Store.Limits(),
        acceptsClock: Bool = false, auditTrail: AuditTrail? = nil,
        time: any Time = ManualTime(), logger: Logger? = nil, server: OnServer = OnServer(),
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws -> Store {
        func open(_ place: StorePlace) throws -> Store {
            try Store(
                place: place, migrations: migrations, limits: limits, acceptsClock: acceptsClock,
                auditTrail: auditTrail, time: time,
                logger: logger ?? CapturedLog().logger(time: time), backend: backend)
        }
        guard try engine == nil && chosen() == .server else {
            return try open(.folder(folder, name: name, engine: engine ?? SubjectChecks()))
        }
        // The folder shows that its test runs.
        guard Files.makeFolder(folder) else { throw NoFolder(path: folder) }
        func open(onServer settings: ServerSettings) throws -> Store {
            var settings = settings
            settings.connections = server.connections
            return try open(.server(settings, folder: folder, name: name))
        }
        let shared = try TestServer.shared.get()
        guard server.isSerializable else {
            return try shared.open(name, migrations, in: folder) { try open(onServer: $0) }
        }
        let database = try TestServer.serializable.get()
        return try open(onServer: shared.schema(of: name, in: folder, database: database))
    }

    /// Opens a store at a place of the test's own, for example a server that it stops.
    /// - Throws: `StoreError`, `SQLError`.
    package static func open(
        at place: StorePlace, _ migrations: [Migration], time: any Time = ManualTime(),
        logger: Logger? = nil
    ) throws -> Store {
        try Store(
            place: place, migrations: migrations, time: time,
            logger: logger ?? CapturedLog().logger(time: time))
    }

    /// What a store on a server has otherwise than others.
    package struct OnServer: Sendable {
        fileprivate let connections: Int
        fileprivate let isSerializable: Bool

        /// With so many connections, each of which runs a flow.
        /// - Parameter isSerializable: On a database whose transactions are SERIALIZABLE.
        package init(
            connections: Int = TestServer.connections, isSerializable: Bool = false
        ) {
            self.connections = connections
            self.isSerializable = isSerializable
        }
    }

    /// As `open`, on a server whichever engine is chosen.
    /// - Throws: as `open`.
    package static func openOnServer(
        _ name: String, _ migrations: [Migration], in folder: String
    ) throws -> Store {
        try TestServer.shared.get().open(name, migrations, in: folder) {
            try Store(
                place: .server($0, folder: folder, name: name), migrations: migrations,
                time: ManualTime(), logger: CapturedLog().logger())
        }
    }

    /// Opens a second instance on the database of an open store. A second one is refused, in a file
    /// as on a server. So in a file it has a folder and a lock of its own, and on a server a schema
    /// of its own, in which each table is a view of the first one's.
    /// - Throws: as `open`.
    package static func openBeside(
        _ store: Store, _ migrations: [Migration], in folder: String, time: any Time
    ) throws -> Store {
        guard let server = store.server else {
            return try open(
                store.name, migrations, in: folder,
                engine: SharedDatabase(location: store.location), time: time)
        }
        let views = try TestServer.shared.get().views(of: server.schema)
        return try Store(
            place: .server(views, folder: folder, name: store.name), migrations: migrations,
            time: time, logger: CapturedLog().logger(time: time))
    }

    /// Opens the database of another store.
    private struct SharedDatabase: SQLEngine {
        let location: String

        func openWriter(_: String) throws -> any SQLConnection {
            try SQLiteEngine().openWriter(location)
        }

        func openReader(_: String) throws -> any SQLConnection {
            try SQLiteEngine().openReader(location)
        }
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

    private static func chosen() throws -> Engine {
        try engine(getenv("POSTERN_TEST_STORE").map { String(cString: $0) })
    }

    /// Whether stores are on a server.
    package static var isOnServer: Bool {
        // An unknown engine is the error of each store that is opened.
        (try? chosen()) == .server
    }

    /// How many flows of a store can run at once.
    package static var writers: Int { isOnServer ? TestServer.connections : 1 }

    /// Whether this suite, or this group of tests, runs with the chosen engine. What cannot run on
    /// a server is in `embeddedOnly`, with its reason.
    package static func runs(_ name: String) -> Bool {
        precondition(embeddedOnly[name] != nil, "\(name) is not in embeddedOnly")
        return !isOnServer
    }

    /// The suites that cannot run on a server, by patterns of their names, and why. Nothing else
    /// may be missing from a run on a server (`Tests/Support/PostgreSQL/compare_runs.py`).
    package static let embeddedOnly = [
        "*Backup*": "snapshots and copies of files",
        "Restore*": "copies of files",
        "StoreCheckTests": "files of a backup",
        "StoreFileTests": "files",
        "NoStoreTests": "files that are no store",
        "SchemaCheckTests": "the schema that a file has",
        "Disk*": "faults of files, their sizes and pages",
        "*Clock*": "the boot of one machine, and marks that are changed in files",
        "CopiedByHand": "copies of files",
        "*Kills": "another process that reads the file meanwhile",
        "DeletionCanaries": "every cell of the files",
        "GroupCommitTests": "several flows in one commit of one writer",
        "SubjectChecksTests": "triggers of SQLite",
        "*InterleavingsTests": "two flows on the one connection of the writer",
        "CrashTests": "a program with a folder",
    ]

    /// The folder of a store cannot be made.
    package struct NoFolder: Error {
        let path: String
    }

    /// `POSTERN_TEST_STORE` names an engine that does not exist.
    package struct UnknownEngine: Error, CustomStringConvertible {
        let name: String

        /// What is wrong, for the person who set the variable.
        package var description: String {
            "POSTERN_TEST_STORE is '\(name)': only 'embedded' and 'server' exist"
        }
    }
}
