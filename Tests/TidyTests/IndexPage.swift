/// The index of `Sources/README.md`: search terms, each with the declaration to read and the file
/// that declares it.
struct IndexPage {
    /// One row of the table.
    struct Row: Hashable {
        let term: String
        /// The name of a type or function.
        let declaration: String
        /// The path from `Sources/`.
        let file: String
        /// Counted from 1.
        let line: Int
    }

    /// The page that contains the table.
    static let path = "Sources/README.md"
    /// The first line of the table.
    static let header = "| term | declaration | file |"

    /// The rows in their order.
    let rows: [Row]
    /// Lines of the table that are not valid rows, counted from 1.
    let malformed: [Int]

    /// Reads the table from the page's text; there are no rows if the page has no such table.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var rows: [Row] = []
        var malformed: [Int] = []
        // After the header comes Markdown's separator line.
        let first = lines.firstIndex { $0 == Self.header }.map { $0 + 2 } ?? lines.count
        for (index, line) in lines.enumerated().dropFirst(first) {
            guard line.hasPrefix("|") else { break }
            if let row = Self.row(line, number: index + 1) {
                rows.append(row)
            } else {
                malformed.append(index + 1)
            }
        }
        self.rows = rows
        self.malformed = malformed
    }

    private static func row(_ line: Substring, number: Int) -> Row? {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            .dropFirst().dropLast()
            .map { cell in cell.trimmed.split(separator: "`").joined() }
        guard cells.count == 3, !cells.contains("") else { return nil }
        return Row(term: cells[0], declaration: cells[1], file: cells[2], line: number)
    }
}
