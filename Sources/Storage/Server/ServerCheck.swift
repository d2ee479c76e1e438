import Logging
import ServiceRuntime

/// Refuses a server on which what this program acknowledges could be lost, or flows about one
/// subject could overlap; and makes the schema.
struct ServerCheck {
    private static let versionMin: Int64 = 150_000

    private let connection: ServerConnection
    private let settings: ServerSettings

    init(_ connection: ServerConnection, _ settings: ServerSettings) {
        (self.connection, self.settings) = (connection, settings)
    }

    /// - Throws: `StoreError.wrongServer`, which names what to set; `SQLError`.
    func run(_ logger: Logger) throws {
        let version = try connection.queryOne(
            "SELECT CAST(current_setting('server_version_num') AS bigint)"
        ) { try $0.integer(0) }
        guard let version, version >= Self.versionMin else {
            throw wrong("the server has version \(version ?? 0), and 15 or later is needed")
        }
        try require("server_encoding", ["UTF8"], "make the database with ENCODING 'UTF8'")
        try require("transaction_read_only", ["off"], "set store-url to the primary server")
        if settings.durability == .full {
            for name in ["fsync", "full_page_writes"] {
                try require(name, ["on"], "set \(name) = on in postgresql.conf")
            }
            try require(
                "synchronous_commit", ["on", "remote_apply"],
                "set synchronous_commit = on in postgresql.conf")
            try checkStandby(logger)
        }
        try makeSchema()
    }

    private func checkStandby(_ logger: Logger) throws {
        guard try value("synchronous_standby_names").isEmpty else { return }
        guard !settings.needsStandby else {
            throw wrong(
                "store-needs-standby is set, and synchronous_standby_names in postgresql.conf is "
                    + "empty")
        }
        logger.warning(
            "store.standby.missing",
            "no standby confirms what this server commits: its disk is the only copy")
    }

    private func require(_ name: String, _ wanted: [String], _ advice: String) throws {
        let found = try value(name)
        guard wanted.contains(found) else {
            throw wrong("the server has \(name) = \(found): \(advice)")
        }
    }

    private func value(_ name: String) throws -> String {
        try connection.queryOne("SELECT current_setting(?)", [.text(name)]) { try $0.text(0) } ?? ""
    }

    private func makeSchema() throws {
        let has = try connection.queryOne(
            "SELECT 1 FROM pg_namespace WHERE nspname = ?", [.text(settings.schema)]
        ) { _ in true }
        guard has == nil else { return }
        do {
            try connection.run(script: "CREATE SCHEMA \(settings.quotedSchema)")
        } catch let error as SQLError {
            throw wrong(
                "the role \(settings.user) cannot make the schema (\(error.detail)): run "
                    + "CREATE SCHEMA \(settings.quotedSchema) AUTHORIZATION \(settings.user)")
        }
    }

    private func wrong(_ reason: String) -> StoreError {
        .wrongServer("\(settings.place): \(reason)")
    }
}
