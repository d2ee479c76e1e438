import CYAML

/// A YAML text as it is written: texts, lists and mappings, each with its line. What a text means,
/// and what of YAML a file may have, is decided by who reads the tree (`SettingsTree`,
/// `CoreSchema`).
///
/// Aliases, anchors and tags are marked and not followed. Attack: a few aliases of aliases stand
/// for billions of values.
///
/// After a violation of YAML's syntax libyaml cannot go on. What precedes it is in the tree, where
/// an open list or mapping ends there.
struct YAMLTree {
    /// A value of the text.
    struct Node {
        let value: Value
        /// The line on which it begins, from 1.
        let line: Int
    }

    /// What a value is.
    enum Value {
        case scalar(Scalar)
        case list([Node])
        /// With braces, if `isFlow`.
        case mapping([Entry], isFlow: Bool)
        /// Begins with this character, which makes it an alias, or gives it an anchor or a tag.
        case marked(Character)
        /// A list or mapping below too many others. Its content is skipped.
        case tooDeep
    }

    /// A text.
    struct Scalar {
        let text: String
        let style: Style
        /// Whether it goes on after its line, although it is neither `literal` nor `folded`.
        /// Usually the next line is an entry with a wrong indentation.
        let continues: Bool
    }

    /// How a text is written.
    enum Style {
        case plain
        case quoted
        /// After `|`.
        case literal
        /// After `>`.
        case folded
    }

    /// A name of a mapping and its value. Any value can be a name, and names can be repeated.
    struct Entry {
        let name: Node
        let value: Node
    }

    /// Why the text is not read to its end.
    enum End {
        /// What libyaml says about a violation of the syntax.
        case syntax(line: Int, sentence: String)
        /// A second document, or directives before the first.
        case notOneDocument(line: Int)
    }

    /// A list or mapping that is open.
    private struct Level {
        let line: Int
        let isMapping: Bool
        var isFlow = false
        let mark: Character?
        /// The items of a list; of a mapping each name, followed by its value.
        var nodes: [Node] = []

        var value: Value {
            if let mark { return .marked(mark) }
            guard isMapping else { return .list(nodes) }
            // A name without a value is where the text breaks off.
            let entries = stride(from: 0, to: nodes.count - 1, by: 2).map {
                Entry(name: nodes[$0], value: nodes[$0 + 1])
            }
            return .mapping(entries, isFlow: isFlow)
        }
    }

    /// The document cannot be read further, from this line on.
    private struct Stop: Error {
        let line: Int
    }

    /// The value of the whole text. Nil for one without a document.
    private(set) var root: Node?
    /// Nil if the text is read to its end.
    private(set) var end: End?

    /// The lists and mappings that are open, outermost first.
    private var levels: [Level] = []
    /// How many are open below those, whose content is skipped.
    private var skippedLevels = 0
    private var hasDocument = false

    /// Reads a file's text.
    init(_ text: String) {
        do throws(Stop) {
            if let found = try YAMLEvents.read(text, { event throws(Stop) in try take(event) }) {
                end = .syntax(line: found.line, sentence: found.sentence)
            }
        } catch {
            end = .notOneDocument(line: error.line)
        }
        skippedLevels = 0
        while !levels.isEmpty { finish() }
    }

    private mutating func take(_ event: yaml_event_t) throws(Stop) {
        let line = event.start_mark.line + 1
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            guard !hasDocument, start.version_directive == nil,
                start.tag_directives.start == start.tag_directives.end
            else { throw Stop(line: line) }
            hasDocument = true
        case YAML_SCALAR_EVENT: add(Self.scalar(event), line)
        case YAML_ALIAS_EVENT: add(.marked("*"), line)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            let mark = Self.mark(anchor: start.anchor, tag: start.tag)
            begin(Level(line: line, isMapping: false, mark: mark))
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            let mark = Self.mark(anchor: start.anchor, tag: start.tag)
            let isFlow = start.style == YAML_FLOW_MAPPING_STYLE
            begin(Level(line: line, isMapping: true, isFlow: isFlow, mark: mark))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: finish()
        default: break
        }
    }

    private mutating func begin(_ level: Level) {
        if skippedLevels == 0, levels.count < FileTree.depthMax {
            levels.append(level)
        } else {
            add(.tooDeep, level.line)
            skippedLevels += 1
        }
    }

    private mutating func finish() {
        if skippedLevels > 0 {
            skippedLevels -= 1
        } else if let level = levels.popLast() {
            add(level.value, level.line)
        }
    }

    /// Adds a complete value to the list or mapping that is open.
    private mutating func add(_ value: Value, _ line: Int) {
        guard skippedLevels == 0 else { return }
        let node = Node(value: value, line: line)
        if levels.isEmpty {
            root = node
        } else {
            levels[levels.count - 1].nodes.append(node)
        }
    }

    private static func scalar(_ event: yaml_event_t) -> Value {
        let scalar = event.data.scalar
        if let mark = mark(anchor: scalar.anchor, tag: scalar.tag) { return .marked(mark) }
        let style: Style =
            switch scalar.style {
            case YAML_PLAIN_SCALAR_STYLE: .plain
            case YAML_LITERAL_SCALAR_STYLE: .literal
            case YAML_FOLDED_SCALAR_STYLE: .folded
            default: .quoted
            }
        let isBlock = style == .literal || style == .folded
        let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        return .scalar(
            Scalar(
                text: String(decoding: bytes, as: UTF8.self), style: style,
                continues: !isBlock && event.start_mark.line != event.end_mark.line))
    }

    /// The character that gives a value an anchor or a tag. Nil for a value with neither.
    private static func mark(
        anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?
    ) -> Character? {
        if anchor != nil { return "&" }
        return tag == nil ? nil : "!"
    }
}
