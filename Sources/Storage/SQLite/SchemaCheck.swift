import CSQLite

/// Compares the schema of a store's file with what this program's migrations make, before anything
/// else of the file is used.
///
/// Attack: a backup, or a copied file, into which somebody else has put a trigger or a view. It
/// would run as a part of the service's statements. A foreign table or index can make them fail, or
/// deny a person who has an account.
///
/// The right schema is made from the migrations, in memory, each time: a text that is stored in the
/// file could be changed with it. Objects are compared by the statement that SQLite keeps of each.
struct SchemaCheck {
    /// Objects that are read; the largest store has about a hundred.
    private static let objectsMax = 10_000

    /// The component that a newer version has migrated further, if there is one.
    struct Newer: Equatable {
        let component: String
        /// The last step in the file.
        let number: Int
        /// The last step of this program.
        let known: Int
    }

    /// Set for a file of a newer version. It has objects that this program does not know; steps only
    /// add, so the program runs on them (`Migrator`). No version makes triggers, views or virtual
    /// tables, so these are refused there too.
    let newer: Newer?

    /// Checks an open file. One without any object is a new store.
    /// - Parameter migrations: of the service.
    /// - Throws: `StoreError.foreignSchema` with the first difference; `SQLError`.
    init(
        of connection: any SQLConnection, at location: String, _ migrations: [Migration]
    ) throws {
        let found = Set(try connection.schemaObjects(limit: Self.objectsMax))
        guard !found.isEmpty else {
            newer = nil
            return
        }
        // Its rows are read only if it is a table: a view could read for ever.
        let had = try found.contains(where: \.isMigrationTable) ? connection.lastMigrations() : [:]
        let steps = [
            (Migrator.Component.storage.rawValue, StorageTables.migrations),
            (Migrator.Component.service.rawValue, migrations),
        ]
        newer =
            steps.lazy.compactMap { component, steps in
                let number = had[component] ?? 0
                return number > steps.count
                    ? Newer(component: component, number: number, known: steps.count) : nil
            }.first
        let right = try Self.objects(
            madeBy: steps.flatMap { component, steps in steps.prefix(max(0, had[component] ?? 0)) })
        let foreign = found.subtracting(right).filter { object in
            newer == nil ? !object.isStatistics : !object.isStored
        }
        let missing = newer == nil ? right.subtracting(found) : []
        guard let first = foreign.union(missing).min() else { return }
        let isBoth = [foreign, missing].allSatisfy { $0.contains { $0.isSameName(as: first) } }
        let verb = isBoth ? "has another" : foreign.contains(first) ? "has the" : "lacks the"
        throw StoreError.foreignSchema(location, detail: "it \(verb) \(first)")
    }

    /// What the steps make in an empty database.
    private static func objects(madeBy steps: [Migration]) throws -> Set<SchemaObject> {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
        let connection = try SQLiteConnection(":memory:", flags: flags)
        try connection.run(script: Migrator.table)
        for step in steps { try connection.run(script: step.sql) }
        return Set(try connection.schemaObjects(limit: objectsMax))
    }
}

/// A row of `sqlite_schema`: a table, an index, a view or a trigger.
private struct SchemaObject: Hashable, Comparable, CustomStringConvertible {
    /// What is printed of a name, since a file may have any.
    private static let printedMax = 64

    let type: String
    let name: String
    let table: String
    /// Empty for an index that SQLite has made for a key.
    let sql: String
    /// Whether it has pages of its own, unlike triggers, views and virtual tables.
    let isStored: Bool

    /// The table in which `Migrator` records its steps.
    var isMigrationTable: Bool { type == "table" && name == "schema_migrations" && isStored }

    /// A table of SQLite's `ANALYZE`, which an operator may have run.
    var isStatistics: Bool { type == "table" && name.hasPrefix("sqlite_stat") && isStored }

    func isSameName(as other: SchemaObject) -> Bool { type == other.type && name == other.name }

    static func < (one: SchemaObject, other: SchemaObject) -> Bool {
        (one.isStored ? 1 : 0, one.type, one.name, one.sql)
            < (other.isStored ? 1 : 0, other.type, other.name, other.sql)
    }

    var description: String {
        let printed = name.unicodeScalars.prefix(Self.printedMax).map { $0.escaped(asASCII: true) }
        return "\(type) \(printed.joined())"
    }
}

extension SQLSession {
    fileprivate func schemaObjects(limit: Int) throws -> [SchemaObject] {
        try query(
            """
            SELECT type, name, tbl_name, coalesce(sql, '') AS sql, coalesce(rootpage, 0) AS page
            FROM sqlite_schema LIMIT ?
            """, [.integer(Int64(limit))]
        ) { row in
            SchemaObject(
                type: try row.text("type"), name: try row.text("name"),
                table: try row.text("tbl_name"), sql: try row.text("sql"),
                isStored: try row.integer("page") > 0)
        }
    }
}
