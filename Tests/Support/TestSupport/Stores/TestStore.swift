import Glibc
package import Logging
package import ServiceRuntime
package import Storage

/// Opens the stores of tests and benchmarks. `POSTERN_TEST_STORE` chooses their engine, here only;
/// `embedded`, SQLite in the test's folder behind `SubjectChecks`, is the default.
package enum TestStore {
    /// Opens the store `name` in `folder`, creates it if needed, and migrates it. The same call
    /// opens it again once it is closed.
    /// - Parameters:
    ///   - engine: Another engine than the chosen one, for example one that fails.
    ///   - backend: Puts another in front, for example `Interleavings`.
    ///   - logger: By default it renders all lines, and they are dropped.
    /// - Throws: `UnknownEngine`, `StoreError`, `SQLError`.
    package static func open(
        _ name: String, _ migrations: [Migration], in folder: String,
        engine: (any SQLEngine)? = nil, limits: Store.Limits = Store.Limits(),
        acceptsClock: Bool = false, auditRetention: Duration? = nil,
        time: any Time = ManualTime(), logger: Logger? = nil,
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws -> Store {
        let chosen = try Self.engine(getenv("POSTERN_TEST_STORE").map { String(cString: $0) })
        return try Store(
            folder: folder, name: name, migrations: migrations, engine: engine ?? chosen,
            limits: limits, acceptsClock: acceptsClock, auditRetention: auditRetention,
            time: time, logger: logger ?? CapturedLog().logger(time: time), backend: backend)
    }

    /// The engine that `POSTERN_TEST_STORE` names.
    /// - Throws: `UnknownEngine`.
    package static func engine(_ name: String?) throws -> any SQLEngine {
        switch name ?? "embedded" {
        case "embedded": return SubjectChecks()
        case let unknown: throw UnknownEngine(name: unknown)
        }
    }

    /// `POSTERN_TEST_STORE` names an engine that does not exist.
    package struct UnknownEngine: Error, CustomStringConvertible {
        let name: String

        /// What is wrong, for the person who set the variable.
        package var description: String {
            "POSTERN_TEST_STORE is '\(name)', but only 'embedded' exists today"
        }
    }
}
