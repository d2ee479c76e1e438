import JSON

/// A row of a command's result, and the three forms in which it is printed.
struct Row {
    let fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }

    /// One value of a row.
    struct Field {
        /// The member's name in JSON.
        let name: String
        let value: JSONValue
        /// The heading of its column, or its label in a record.
        let heading: String
        /// The cell of a table; nil for a value that only JSON has.
        let text: String?
        /// Its part of a line without headings.
        let phrase: String?

        /// - Parameters:
        ///   - heading: default: the name with spaces.
        ///   - phrase: default: the text.
        init(
            _ name: String, _ value: JSONValue, text: String?, phrase: String? = nil,
            heading: String? = nil
        ) {
            self.name = name
            self.value = value
            self.heading = heading ?? name.replacing("_", with: " ")
            self.text = text?.printableLine
            self.phrase = (phrase ?? text)?.printableLine
        }

        /// A text that is the same in all forms, apart from words that a line needs.
        init(_ name: String, _ text: String, phrase: String? = nil, heading: String? = nil) {
            self.init(name, .string(text), text: text, phrase: phrase, heading: heading)
        }

        /// A value that only JSON has.
        init(json name: String, _ value: JSONValue) { self.init(name, value, text: nil) }
    }

    /// The row without headings; values without text are left out.
    var line: String {
        fields.compactMap(\.phrase).filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// The row as one object, a line for each value that has a text.
    var record: [String] {
        fields.compactMap { field in
            field.text.flatMap { $0.isEmpty ? nil : field.heading.padded(to: 15) + $0 }
        }
    }

    /// The row as a JSON object.
    var json: JSONValue {
        .object(JSONObject(unique: fields.map { .init(name: $0.name, value: $0.value) }))
    }

    /// Its cells in a table.
    fileprivate var cells: [String] { fields.compactMap(\.text) }
    /// The headings of its cells.
    fileprivate var headings: [String] {
        fields.filter { $0.text != nil }.map { $0.heading.uppercased() }
    }
}

/// Prints rows as they arrive, in one of three forms.
struct RowWriter {
    enum Form: Equatable {
        /// Aligned columns below headings.
        case table
        /// A line for each row, without headings.
        case lines
        /// An array, with a line for each row.
        case json
    }

    private let form: Form
    private let show: (String) throws -> Void
    private let note: (String) -> Void
    private var widths: [Int] = []
    private var isEmpty = true

    /// - Parameters:
    ///   - show: prints one line.
    ///   - note: prints one line that is not part of the result.
    init(
        _ form: Form, show: @escaping (String) throws -> Void = Screen.item,
        note: @escaping (String) -> Void = Screen.error
    ) {
        self.form = form
        self.show = show
        self.note = note
    }

    /// Prints further rows. A column that was printed before can only become wider.
    mutating func write(_ rows: [Row]) throws {
        if form == .table { try align(rows) }
        for row in rows {
            switch form {
            case .table: try show(tableLine(row.cells))
            case .lines: try show(row.line)
            case .json: try show((isEmpty ? "[ " : ", ") + JSONWriter.text(row.json, .shown))
            }
            isEmpty = false
        }
    }

    /// Ends the array; without this call the JSON is not complete.
    /// - Parameter nothing: what is said of a list without rows, beside the result.
    func finish(ifEmpty nothing: String? = nil) throws {
        if form == .json { try show(isEmpty ? "[]" : "]") }
        if isEmpty, let nothing { note(nothing) }
    }

    private mutating func align(_ rows: [Row]) throws {
        guard let first = rows.first else { return }
        let headings = isEmpty ? [first.headings] : []
        for cells in headings + rows.map(\.cells) {
            for (column, cell) in cells.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        for cells in headings { try show(tableLine(cells)) }
    }

    private func tableLine(_ cells: [String]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            line += cell.padded(to: widths[column] + 2)
        }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
