/// A table of a service's `schema.sql`.
struct SchemaTable {
    let name: String
    /// Its columns without the row's own number, which the store gives and indexes use.
    let columns: [String]
    /// Columns that a key compares: what is inserted twice is found without a statement that reads.
    let keyColumns: Set<String>

    /// The tables of a schema, in the one form in which SQLite prints them.
    static func all(in schema: String) -> [SchemaTable] {
        schema.matches(of: /CREATE TABLE (\w+) \((?s:(.*?))\) STRICT;/).map { match in
            let key = /UNIQUE INDEX \w+\s+ON (\w+) \(([^)]*)\)/
            return SchemaTable(
                name: String(match.1),
                columns: parts(of: match.2).compactMap { part in
                    let words = part.split { " \n".contains($0) }
                    guard let first = words.first, first.first?.isLowercase == true,
                        !part.contains("INTEGER PRIMARY KEY")
                    else { return nil }
                    return String(first)
                },
                keyColumns: Set(
                    schema.matches(of: key).filter { $0.1 == match.1 }
                        .flatMap { $0.2.split { ", ".contains($0) } }.map(String.init)))
        }
    }

    /// The text between commas that are outside of parentheses.
    private static func parts(of columns: Substring) -> [Substring] {
        var depth = 0
        return columns.split { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return character == "," && depth == 0
        }
    }
}

/// What the SQL of some files does with columns, by the words of their string literals.
struct SQLWords {
    private var writes: [String: Set<Substring>] = [:]
    private var reads: [String: Set<Substring>] = [:]

    /// The words of `texts`, the texts of Swift files, about the tables named `tables`.
    init(of texts: [String], tables: Set<String>) {
        for text in texts {
            let literals = Self.literals(of: text)
            let named = tables.intersection(literals.flatMap(Self.words).map(String.init))
            for statement in literals.flatMap({ $0.split(separator: ";") })
            where !statement.contains("CREATE ") && !statement.contains("ALTER ") {
                add(statement, fileNames: named)
            }
        }
    }

    /// Whether a statement gives the column a value.
    func writes(_ column: String, of table: String) -> Bool {
        writes[table]?.contains(Substring(column)) == true
    }

    /// Whether a statement selects, compares or orders by the column, or code takes it from a row.
    func reads(_ column: String, of table: String) -> Bool {
        reads[table]?.contains(Substring(column)) == true
    }

    /// Adds a statement, or a literal that is none. One without a table, such as a list of columns or the
    /// name that is taken from a row, is about all tables that its file names.
    private mutating func add(_ text: Substring, fileNames named: Set<String>) {
        let own = named.intersection(Self.words(of: text).map(String.init))
        let isStatement = text.contains(/\b(?:SELECT|INSERT|UPDATE|DELETE)\b/)
        let inserted = /INSERT INTO \w+\s*\(([^)]*)\)/
        let assigned = /(?:SET|,)\s+(\w+)\s+=/
        var written: [Substring] = []
        var rest = String(text)
        if isStatement {
            written = text.matches(of: inserted).flatMap { Self.words(of: $0.1) }
            written += text.matches(of: assigned).map(\.1)
            rest.replace(inserted, with: "")
            rest.replace(assigned, with: "")
            rest.replace(/excluded\.\w+/, with: "")
        }
        let read = Self.words(of: rest[...])
        for table in isStatement ? own : named {
            writes[table, default: []].formUnion(written)
            reads[table, default: []].formUnion(read)
        }
    }

    private static func words(of text: Substring) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The string literals of a Swift file: those of several lines, and those of one.
    private static func literals(of text: String) -> [Substring] {
        text.split(separator: "\"\"\"", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, part in
                if index % 2 == 1 { return [part] }
                return part.split(separator: "\n").filter { !$0.trimmed.hasPrefix("//") }
                    .flatMap { line in
                        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                            .filter { $0.offset % 2 == 1 }.map(\.element)
                    }
            }
    }
}
