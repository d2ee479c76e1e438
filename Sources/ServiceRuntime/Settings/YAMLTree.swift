import CYAML
import JSON

/// Reads a file of the operator's from YAML, as values in lists and mappings. Unquoted values are
/// null, booleans and numbers where they look so (YAML 1.2, core schema), otherwise texts.
///
/// Refuses anchors and aliases, tags, values of several lines without `|` or `>`, and several
/// documents. After a violation of YAML's syntax there is no tree.
struct YAMLTree {
    /// A list or mapping that is open.
    private struct Level {
        let isMapping: Bool
        let place: FilePlace
        var entries: [FileNode.Entry] = []
        var items: [FileNode] = []
        /// The lines of the names, to report a repeated one.
        var lines: [String: Int] = [:]
        /// The name whose value comes next, and its place.
        var key: (name: String, place: FilePlace)?

        var expectsName: Bool { isMapping && key == nil }

        var node: FileNode { FileNode(isMapping ? .mapping(entries) : .list(items), place) }
    }

    /// The document cannot be read further.
    private struct Stop: Error {}

    /// The whole file's value. Nil after a violation of the syntax; null for an empty file.
    private(set) var root: FileNode?
    /// The problems, with their lines.
    private(set) var problems: [(line: Int, sentence: String)] = []

    private let file: String
    private var levels: [Level] = []
    private var hasDocument = false

    /// Reads a file's text.
    init(_ text: String, file: String) {
        self.file = file
        do {
            if let end = try YAMLEvents.read(text, { event throws(Stop) in try take(event) }) {
                problems.append(end)
                root = nil
            } else if !hasDocument {
                root = FileNode(.single(.null), FilePlace(file: file, line: 1))
            }
        } catch {
            // The problem that ended the reading is in `problems`.
            root = nil
        }
    }

    private mutating func take(_ event: yaml_event_t) throws(Stop) {
        let line = event.start_mark.line + 1
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            guard !hasDocument, start.version_directive == nil,
                start.tag_directives.start == start.tag_directives.end
            else { throw stop(line, "the file must be one document without directives") }
            hasDocument = true
        case YAML_SCALAR_EVENT: try takeScalar(event, line)
        case YAML_ALIAS_EVENT: throw stop(line, "a value that begins with * must be in quotes")
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            try refuse(anchor: start.anchor, tag: start.tag, line)
            try open(isMapping: false, line)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            try refuse(anchor: start.anchor, tag: start.tag, line)
            try open(isMapping: true, line)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            if let level = levels.popLast() { add(level.node) }
        default: break
        }
    }

    private mutating func open(isMapping: Bool, _ line: Int) throws(Stop) {
        if levels.last?.expectsName == true { throw stop(line, "a name must be a plain text") }
        guard levels.count < FileTree.depthMax else {
            throw stop(line, "the line is nested too deeply")
        }
        levels.append(Level(isMapping: isMapping, place: place(line)))
    }

    private mutating func takeScalar(_ event: yaml_event_t, _ line: Int) throws(Stop) {
        let scalar = event.data.scalar
        try refuse(anchor: scalar.anchor, tag: scalar.tag, line)
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let text = String(decoding: bytes, as: UTF8.self)
        let isBlock =
            scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE
        if !isBlock, event.start_mark.line != event.end_mark.line {
            // Usually the next line is an entry with a wrong indentation.
            problems.append((line, "the value continues on the next line"))
        }
        guard let level = levels.last, level.expectsName else {
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return add(
                FileNode(.single(isPlain ? Self.plain(text) : .string(text)), place(line)))
        }
        if let first = level.lines[text] {
            problems.append((line, "\(text) is given twice, first in line \(first)"))
        }
        levels[levels.count - 1].key = (text, level.place.member(text, line: line))
    }

    /// The place of the next value.
    private func place(_ line: Int) -> FilePlace {
        guard let level = levels.last else { return FilePlace(file: file, line: line) }
        return level.key?.place ?? level.place.item(level.items.count, line: line)
    }

    /// Adds a complete value to the list or mapping that is open.
    private mutating func add(_ node: FileNode) {
        guard var level = levels.popLast() else {
            root = node
            return
        }
        if let key = level.key {
            // The first of a repeated name counts.
            if level.lines[key.name] == nil {
                level.lines[key.name] = key.place.line
                level.entries.append(.init(name: key.name, node: node))
            }
            level.key = nil
        } else {
            level.items.append(node)
        }
        levels.append(level)
    }

    /// The value of an unquoted text.
    private static func plain(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: break
        }
        guard text.utf8.contains(where: { (0x30...0x39).contains($0) }),
            text.allSatisfy({ "0123456789+-.eE".contains($0) })
        else { return .string(text) }
        if let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { return .string(text) }
        return .real(number)
    }

    // MARK: Mistakes

    private mutating func refuse(
        anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?, _ line: Int
    ) throws(Stop) {
        if anchor != nil { throw stop(line, "a value that begins with & must be in quotes") }
        if tag != nil { throw stop(line, "a value that begins with ! must be in quotes") }
    }

    private mutating func stop(_ line: Int, _ sentence: String) -> Stop {
        problems.append((line, sentence))
        return Stop()
    }
}
