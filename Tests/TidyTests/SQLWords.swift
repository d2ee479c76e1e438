/// What the SQL of some files does with the columns of tables.
///
/// A statement is read with the constants that are put into it, such as the columns of a row. What
/// it names is of the tables that it names. A word elsewhere is no column: a log line may have the
/// word "device" too.
struct SQLWords {
    private var writes: [String: Set<Substring>] = [:]
    private var reads: [String: Set<Substring>] = [:]
    private let tables: Set<String>

    /// The words of the statements about `tables`.
    init(of sources: [SwiftSource], tables: Set<String>) {
        self.tables = tables
        let files = sources.map(SQLFile.init)
        let constants = files.reduce(into: [String: String]()) { all, file in
            all.merge(file.constants) { first, _ in first }
        }
        for text in files.flatMap(\.texts) {
            for statement in Self.whole(text, constants).split(separator: ";") { add(statement) }
        }
        for source in sources { addPurges(of: source) }
    }

    /// Whether a statement gives the column a value.
    func writes(_ column: String, of table: String) -> Bool {
        writes[table]?.contains(Substring(column)) == true
    }

    /// Whether a statement selects, compares or orders by the column.
    func reads(_ column: String, of table: String) -> Bool {
        reads[table]?.contains(Substring(column)) == true
    }

    private mutating func add(_ statement: Substring) {
        guard statement.contains(/(?:SELECT|INSERT|UPDATE|DELETE)(?!\w)/),
            !statement.contains("CREATE "), !statement.contains("ALTER ")
        else { return }
        let inserted = /INSERT INTO \w+\s*\(([^)]*)\)/
        let assigned = /(?:SET|,)\s+(\w+)\s+=/
        var rest = String(statement)
        rest.replace(inserted, with: "")
        rest.replace(assigned, with: "")
        rest.replace(/excluded\.\w+/, with: "")
        let written =
            statement.matches(of: inserted).flatMap { Self.words(of: $0.1) }
            + statement.matches(of: assigned).map(\.1)
        for table in tables.intersection(Self.words(of: statement).map(String.init)) {
            writes[table, default: []].formUnion(written)
            reads[table, default: []].formUnion(Self.words(of: rest[...]))
        }
    }

    /// `Purge` makes its statement of a table and two of its columns.
    private mutating func addPurges(of source: SwiftSource) {
        for line in source.lineIndices(containing: "Purge(") {
            let text = source.lines[line...].prefix(4).joined(separator: " ")
            guard let purge = text.firstMatch(of: /Purge\(\s*"(\w+)"([^()]*)/) else { continue }
            let columns = purge.2.matches(of: /"(\w+)"/).map(\.1)
            reads[String(purge.1), default: []].formUnion(columns)
        }
    }

    /// A text with its constants put in.
    private static func whole(_ text: String, _ constants: [String: String]) -> String {
        var whole = text
        // A constant may contain others.
        for _ in 0..<3 where whole.contains("\\(") {
            whole = whole.replacing(/\\\((\w+\.\w+)\)/) { constants[String($0.1)] ?? "" }
        }
        return whole
    }

    private static func words(of text: Substring) -> [Substring] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

/// The string literals of a file. A constant that is put into one has the name of its type before
/// it, also where the code has `Self` or nothing.
private struct SQLFile {
    private(set) var texts: [String] = []
    /// The texts of constants, by `Type.name`.
    private(set) var constants: [String: String] = [:]

    init(_ source: SwiftSource) {
        let types = source.lineIndices(
            containing: "struct ", "enum ", "extension ", "class ", "actor "
        ).compactMap { line in
            source.code[line].prefixMatch(
                of: /(?:[a-z@]+ )*(?:struct|enum|extension|class|actor) ([\w.]+)/
            ).map { (line: line, name: String($0.1.split(separator: ".").last ?? "")) }
        }
        var constant: String?
        for literal in source.literals {
            let type = types.last { $0.line <= literal.line }?.name ?? ""
            let text = Self.qualified(literal.text, in: type)
            texts.append(text)
            // A literal on a line of its own belongs to the line before.
            let own = Substring(literal.before).trimmed
            let isAlone = own.isEmpty && literal.line > 0
            let before = isAlone ? source.code[literal.line - 1].trimmed : own
            if before == "+", let constant {
                constants[constant, default: ""] += text
                continue
            }
            let declared = /(?:let|var) (\w+)(?:: String)? (?:=|\{)$/
            constant = before.firstMatch(of: declared).map { "\(type).\($0.1)" }
            if let constant { constants[constant] = text }
        }
    }

    private static func qualified(_ text: String, in type: String) -> String {
        guard text.contains("\\(") else { return text }
        return text.replacing(/\\\(((?:\w+\.)*)(\w+)\)/) { constant in
            let owner = constant.1.split(separator: ".").last ?? "Self"
            return "\\(\(owner == "Self" ? type : String(owner)).\(constant.2))"
        }
    }
}
