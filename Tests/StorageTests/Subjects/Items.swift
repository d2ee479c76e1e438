import ServiceRuntime
import Storage
import TestSupport

/// Items of accounts, at most two each, for tests of subjects.
enum Items {
    static let migrations = [
        Migration(
            number: 1,
            sql: """
                CREATE TABLE item (
                    id INTEGER PRIMARY KEY, account INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE setting (id INTEGER PRIMARY KEY, value INTEGER NOT NULL) STRICT
                """)
    ]

    static let perAccountMax: Int64 = 2

    static func open(
        _ folder: TemporaryFolder, backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws -> Store {
        try TestStore.open("items", migrations, in: folder.path, backend: backend)
    }
}

extension Transaction {
    func addItem(_ id: Int64, _ account: Int64, expiresAt: Int64 = .max) throws {
        try put(
            "INSERT INTO item (id, account, expires_at_ms) VALUES (?, ?, ?)",
            [.integer(id), .integer(account), .integer(expiresAt)])
    }

    func items(_ account: Int64) throws -> Int64 {
        try queryOne("SELECT count(*) FROM item WHERE account = ?", [.integer(account)]) {
            try $0.integer(0)
        } ?? 0
    }
}
