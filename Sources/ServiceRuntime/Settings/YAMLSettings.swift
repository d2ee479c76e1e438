/// Reads settings from YAML: nested mappings, lists of values, plain and quoted values, comments.
///
/// Rejects by name the parts of YAML that settings do not need (anchors, tags, block scalars,
/// several documents, flow mappings). A file that is accepted therefore means the same here as to
/// every other YAML 1.2 parser.
struct YAMLSettings {
    /// How deeply mappings may be nested.
    private static let depthMax = 8

    /// The settings that were read.
    private(set) var entries: [SettingsFileEntry] = []
    /// The mistakes, with their lines.
    private(set) var mistakes: [(line: Int, sentence: String)] = []

    /// The mappings that are open, outermost first.
    private var levels: [(indent: Int, prefix: String)] = []
    /// A key whose value is expected on the lines below it.
    private var open: (name: String, line: Int, indent: Int)?
    /// A list whose items are being read.
    private var list: (name: String, line: Int, indent: Int, items: [String])?

    /// Reads a file's text.
    mutating func read(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            do {
                if let line = try YAMLLine(line, number: index + 1) { try read(line) }
            } catch {
                mistakes.append((index + 1, error.sentence))
            }
        }
        closeList()
        closeOpen()
    }

    private mutating func read(_ line: YAMLLine) throws(YAMLMistake) {
        if let item = line.item { return try readItem(item, line) }
        closeList()
        try enterLevel(of: line)
        let (key, rest) = try line.keyAndValue()
        let name = (levels.last?.prefix ?? "") + key
        guard let value = try YAMLScalar.value(rest) else {
            open = (name, line.number, line.indent)
            return
        }
        entries.append(SettingsFileEntry(name: name, value: value, line: line.number))
    }

    private mutating func readItem(_ item: Substring, _ line: YAMLLine) throws(YAMLMistake) {
        if let key = open, line.indent >= key.indent {
            list = (key.name, key.line, line.indent, [])
            open = nil
        }
        guard list?.indent == line.indent else {
            throw YAMLMistake("this list item belongs to no key")
        }
        guard case .one(let text) = try YAMLScalar.value(item) else {
            throw YAMLMistake("a list holds plain values only")
        }
        list?.items.append(text)
    }

    private mutating func enterLevel(of line: YAMLLine) throws(YAMLMistake) {
        if let key = open, line.indent > key.indent, levels.count < Self.depthMax {
            levels.append((line.indent, key.name + "-"))
            open = nil
        }
        closeOpen()
        if levels.isEmpty { levels.append((line.indent, "")) }
        while levels.count > 1, line.indent < (levels.last?.indent ?? 0) { levels.removeLast() }
        guard levels.last?.indent == line.indent else {
            throw YAMLMistake("the line is indented unlike its neighbours, or nested too deeply")
        }
    }

    private mutating func closeOpen() {
        guard let key = open else { return }
        mistakes.append((key.line, "\(key.name) has no value"))
        open = nil
    }

    private mutating func closeList() {
        guard let list else { return }
        entries.append(
            SettingsFileEntry(name: list.name, value: .many(list.items), line: list.line))
        self.list = nil
    }
}
