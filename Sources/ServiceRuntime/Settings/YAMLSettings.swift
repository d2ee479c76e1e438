import CYAML

/// Reads settings from YAML, parsed by libyaml: nested mappings, lists of values, and scalars, all
/// of which are text.
///
/// Refuses what settings do not need: anchors and aliases, tags, block scalars, values of several
/// lines, flow mappings, several documents. After a violation of YAML's syntax libyaml cannot go
/// on, so that is the last problem reported; all others are collected.
struct YAMLSettings {
    /// How deeply mappings may be nested.
    private static let depthMax = 8

    /// The key whose value is read next. `name` is nil for a refused key, whose value is skipped.
    private struct Key {
        let name: String?
        let line: Int
    }

    /// A collection that is open.
    private enum Level {
        case mapping(prefix: String, Key?)
        case list(Key)
        /// In a place where none is allowed; its content is skipped.
        case skipped
    }

    /// The document cannot be read further.
    private struct Stop: Error {}

    /// The settings that were read.
    private(set) var entries: [SettingsFile.Entry] = []
    /// The problems, with their lines.
    private(set) var problems: [(line: Int, sentence: String)] = []

    /// The collections that are open, outermost first.
    private var levels: [Level] = []
    /// The values of the list that is open; no list holds another.
    private var items: [String] = []
    private var hasDocument = false

    /// Reads a file's text.
    init(_ text: String) {
        // `Stop` follows the problem that ended the reading.
        if let end = try? YAMLEvents.read(text, { event throws(Stop) in try read(event) }) {
            problem(end.line, end.sentence)
        }
    }

    private mutating func read(_ event: yaml_event_t) throws(Stop) {
        let line = event.start_mark.line + 1
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            let hasDirectives =
                start.version_directive != nil
                || start.tag_directives.start != start.tag_directives.end
            guard !hasDocument, !hasDirectives else {
                throw stop(line, "a settings file is one document without directives")
            }
            hasDocument = true
        case YAML_SCALAR_EVENT: try take(Scalar(event), line)
        case YAML_ALIAS_EVENT: try take(Scalar(refused: Self.mustBeQuoted("*")), line)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            try beginList(line, Self.refusal(anchor: start.anchor, tag: start.tag))
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            let isFlow = start.style == YAML_FLOW_MAPPING_STYLE
            try beginMapping(
                line,
                Self.refusal(anchor: start.anchor, tag: start.tag)
                    ?? (isFlow ? Self.mustBeQuoted("{") : nil))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: end()
        default: break
        }
    }

    // MARK: Values

    private mutating func take(_ scalar: Scalar, _ line: Int) throws(Stop) {
        switch levels.last {
        case nil:
            switch scalar.value {
            // The content of `---` over nothing but comments: no settings.
            case .failure(.empty): break
            case .failure(.refused(let sentence)): throw stop(line, sentence)
            case .success(let text):
                throw stop(
                    line,
                    text.contains(":")
                        ? "a space is missing after the colon"
                        : "neither \"name: value\" nor \"- value\"")
            }
        case .mapping(let prefix, nil):
            let name = scalar.settingName
            if name == nil { problem(line, "a setting's name is letters, digits and dashes") }
            setTop(.mapping(prefix: prefix, Key(name: name.map { prefix + $0 }, line: line)))
        case .mapping(_, let key?):
            if let name = key.name { take(scalar, of: name, key.line, line) }
            endValue()
        case .list:
            switch scalar.value {
            case .success(let text): items.append(text)
            case .failure(.empty): problem(line, "a list holds plain values only")
            case .failure(.refused(let sentence)): problem(line, sentence)
            }
        case .skipped: break
        }
    }

    private mutating func take(
        _ scalar: Scalar, of name: String, _ keyLine: Int, _ line: Int
    ) {
        switch scalar.value {
        case .success(let text):
            entries.append(SettingsFile.Entry(name: name, value: .one(text), line: keyLine))
        case .failure(.empty): problem(keyLine, "\(name) has no value")
        case .failure(.refused(let sentence)): problem(line, sentence)
        }
    }

    // MARK: Collections

    private mutating func beginList(_ line: Int, _ refusal: String?) throws(Stop) {
        switch (levels.last, refusal) {
        case (.skipped, _): levels.append(.skipped)
        case (.mapping(_, nil), _):
            throw stop(line, "a setting's name is letters, digits and dashes")
        case (_, let refusal?): skip(line, refusal)
        case (nil, nil): skip(line, "this list item belongs to no key")
        case (.list, nil): skip(line, "a list holds plain values only")
        case (.mapping(_, let key?), nil): levels.append(key.name == nil ? .skipped : .list(key))
        }
    }

    private mutating func beginMapping(_ line: Int, _ refusal: String?) throws(Stop) {
        switch (levels.last, refusal) {
        case (.skipped, _): levels.append(.skipped)
        case (.mapping(_, nil), _):
            throw stop(line, "a setting's name is letters, digits and dashes")
        case (_, let refusal?): skip(line, refusal)
        case (nil, nil): levels.append(.mapping(prefix: "", nil))
        case (.list, nil): skip(line, "a list holds plain values only")
        case (.mapping(_, let key?), nil):
            guard levels.count < Self.depthMax else {
                return skip(line, "the line is nested too deeply")
            }
            levels.append(key.name.map { .mapping(prefix: $0 + "-", nil) } ?? .skipped)
        }
    }

    private mutating func skip(_ line: Int, _ sentence: String) {
        problem(line, sentence)
        levels.append(.skipped)
    }

    private mutating func end() {
        if case .list(let key) = levels.popLast(), let name = key.name {
            entries.append(SettingsFile.Entry(name: name, value: .many(items), line: key.line))
            items.removeAll()
        }
        endValue()
    }

    /// The value of the key that was read last is complete.
    private mutating func endValue() {
        if case .mapping(let prefix, _) = levels.last { setTop(.mapping(prefix: prefix, nil)) }
    }

    private mutating func setTop(_ level: Level) { levels[levels.count - 1] = level }

    // MARK: Mistakes

    private mutating func problem(_ line: Int, _ sentence: String) {
        problems.append((line, sentence))
    }

    private mutating func stop(_ line: Int, _ sentence: String) -> Stop {
        problem(line, sentence)
        return Stop()
    }

    /// Why a node with an anchor or a tag is refused; nil for one with neither.
    private static func refusal(
        anchor: UnsafeMutablePointer<UInt8>?, tag: UnsafeMutablePointer<UInt8>?
    ) -> String? {
        if anchor != nil { return mustBeQuoted("&") }
        return tag == nil ? nil : mustBeQuoted("!")
    }

    private static func mustBeQuoted(_ first: String) -> String {
        "a value that begins with \(first) must stand in quotes"
    }

    /// A scalar of the document.
    private struct Scalar {
        /// Why a scalar is no value.
        enum Refusal: Error {
            case empty
            case refused(String)
        }

        let value: Result<String, Refusal>

        init(refused sentence: String) { value = .failure(.refused(sentence)) }

        init(_ event: yaml_event_t) {
            let scalar = event.data.scalar
            if let refusal = refusal(anchor: scalar.anchor, tag: scalar.tag) {
                self.init(refused: refusal)
            } else if scalar.style == YAML_LITERAL_SCALAR_STYLE {
                self.init(refused: mustBeQuoted("|"))
            } else if scalar.style == YAML_FOLDED_SCALAR_STYLE {
                self.init(refused: mustBeQuoted(">"))
            } else if event.start_mark.line != event.end_mark.line {
                // Usually the next line is a setting with a wrong indentation.
                self.init(refused: "the value continues on the next line")
            } else {
                let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
                let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
                self.init(String(decoding: bytes, as: UTF8.self), isPlain: isPlain)
            }
        }

        private init(_ text: String, isPlain: Bool) {
            value =
                switch text {
                case "" where isPlain: .failure(.empty)
                case "~" where isPlain, "null" where isPlain, "Null" where isPlain,
                    "NULL" where isPlain:
                    .failure(.refused("a value is missing"))
                default: .success(text)
                }
        }

        /// The text as a setting's name, which may be a pattern; nil if it is none. A star at the
        /// beginning would be an alias without its quotes, so it is refused with them, too.
        var settingName: String? {
            guard let text = try? value.get(), let first = text.first, first != "*",
                text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_*".contains($0)) }
                )
            else { return nil }
            return text
        }
    }
}
