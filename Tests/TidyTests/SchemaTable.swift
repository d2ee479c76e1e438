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
