import Cryptography
import Foundation

/// A value in a row of a service's store, as another process reads it.
struct StoredCell: Sendable {
    /// A value of SQLite; NULL and floating point numbers are not read.
    enum Value: Hashable, Sendable {
        case number(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// A row, for as long as the store is not read again.
    struct Row: Hashable, Sendable {
        /// The name of the store's file, without its end: `identity`.
        let service: String
        let table: String
        let number: Int

        /// `identity.accounts`
        var place: String { "\(service).\(table)" }
    }

    let row: Row
    let column: String
    let value: Value

    /// `identity.accounts.status`
    var place: String { "\(row.place).\(column)" }
}

extension StoredCell {
    private static let stores = ["identity", "session", "notification", "ratelimit"]

    /// Prints each value in a line: store, table, row, column, type and value.
    private static let reading = """
        import sqlite3, sys
        for path in sys.argv[2:]:
            store = sqlite3.connect(f"file:{path}?{sys.argv[1]}", uri=True, isolation_level=None)
            store.execute("BEGIN")
            tables = store.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            for (table,) in tables.fetchall():
                rows = store.execute(f"SELECT * FROM {table}")
                columns = [column[0] for column in rows.description]
                for number, row in enumerate(rows):
                    for column, value in zip(columns, row):
                        if isinstance(value, int):
                            kind, text = "number", str(value)
                        elif isinstance(value, str):
                            kind, text = "text", value.encode().hex()
                        elif isinstance(value, bytes):
                            kind, text = "bytes", value.hex()
                        else:
                            continue
                        name = path.rsplit("/", 1)[1].removesuffix(".sqlite")
                        print(name, table, number, column, kind, text, sep="\\t")
            store.close()
        """

    /// All values of the stores in a data folder.
    /// - Parameter isClosed: no program has the stores open; then nothing is written beside them.
    static func all(in folder: String, isClosed: Bool = false) async throws -> [StoredCell] {
        let paths = stores.map { "\(folder)/\($0).sqlite" }
        let run = try await ProgramRun.run(
            path: "/usr/bin/env",
            ["python3", "-c", reading, isClosed ? "immutable=1" : "mode=ro"] + paths,
            limit: .seconds(30))
        guard run.exitCode == 0 else { throw ClusterError(message: "stores: \(run.errors)") }
        return try run.output.split(separator: "\n").map { try StoredCell(line: $0) }
    }

    private init(line: Substring) throws {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, let number = Int(parts[2]),
            let value = Value(parts[4], parts[5])
        else { throw ClusterError(message: "no value of a store: \(line)") }
        row = Row(service: parts[0], table: parts[1], number: number)
        column = parts[3]
        self.value = value
    }
}

extension StoredCell.Value {
    fileprivate init?(_ kind: String, _ text: String) {
        switch kind {
        case "number":
            guard let number = Int64(text) else { return nil }
            self = .number(number)
        case "text":
            guard let bytes = Hex.decode(text.utf8) else { return nil }
            self = .text(String(decoding: bytes, as: UTF8.self))
        default:
            guard let bytes = Hex.decode(text.utf8) else { return nil }
            self = .bytes(bytes)
        }
    }
}

extension Cluster {
    /// All values of the stores of the running programs.
    func cells() async throws -> [StoredCell] { try await StoredCell.all(in: "\(data)/data") }
}
