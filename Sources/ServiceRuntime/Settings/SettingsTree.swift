/// The settings of a YAML text: nested mappings, lists of values, and texts, quoted or not.
///
/// Refuses what settings do not need: anchors and aliases, tags, block scalars, values of several
/// lines, flow mappings, several documents. All problems are collected.
struct SettingsTree {
    /// How deeply mappings may be nested.
    private static let depthMax = 8

    /// Why a value is no text.
    private enum Refusal: Error {
        /// Nothing, or more than one value.
        case notOneValue
        case refused(String)
    }

    /// The settings that were read.
    private(set) var entries: [SettingsFile.Entry] = []
    /// The problems, with their lines.
    private(set) var problems: [(line: Int, sentence: String)] = []

    /// Reads the tree of a file's text.
    init(_ tree: YAMLTree) {
        if let top = tree.root { readTop(top) }
        switch tree.end {
        case nil: break
        case .syntax(let line, let sentence)?: problem(line, sentence)
        case .notOneDocument(let line)?:
            problem(line, "a settings file is one document without directives")
        }
    }

    private mutating func readTop(_ top: YAMLTree.Node) {
        switch top.value {
        case .mapping(let members, isFlow: false): read(members, after: "", depth: 1)
        case .list: problem(top.line, "this list item belongs to no key")
        case .mapping, .scalar, .marked, .tooDeep:
            switch Self.text(of: top) {
            // The content of `---` over nothing but comments: no settings.
            case .failure(.notOneValue): break
            case .failure(.refused(let sentence)): problem(top.line, sentence)
            case .success(let text):
                problem(
                    top.line,
                    text.contains(":")
                        ? "a space is missing after the colon"
                        : "neither \"name: value\" nor \"- value\"")
            }
        }
    }

    private mutating func read(
        _ members: [YAMLTree.Entry], after prefix: String, depth: Int
    ) {
        for member in members {
            if let name = Self.settingName(member.name) {
                read(member.value, of: prefix + name, member.name.line, depth: depth)
            } else {
                problem(member.name.line, "a setting's name is letters, digits and dashes")
            }
        }
    }

    /// Reads the value of a name, which is on `line`.
    private mutating func read(
        _ node: YAMLTree.Node, of name: String, _ line: Int, depth: Int
    ) {
        switch node.value {
        case .mapping(let members, isFlow: false) where depth < Self.depthMax:
            read(members, after: name + "-", depth: depth + 1)
        case .mapping(_, isFlow: false): problem(node.line, "the line is nested too deeply")
        case .list(let items):
            let texts = texts(items)
            entries.append(.init(name: name, value: .many(texts), line: line))
        case .mapping, .scalar, .marked, .tooDeep:
            switch Self.text(of: node) {
            case .success(let text):
                entries.append(.init(name: name, value: .one(text), line: line))
            case .failure(.notOneValue): problem(line, "\(name) has no value")
            case .failure(.refused(let sentence)): problem(node.line, sentence)
            }
        }
    }

    private mutating func texts(_ items: [YAMLTree.Node]) -> [String] {
        var texts: [String] = []
        for item in items {
            switch Self.text(of: item) {
            case .success(let text): texts.append(text)
            case .failure(.notOneValue): problem(item.line, "a list holds plain values only")
            case .failure(.refused(let sentence)): problem(item.line, sentence)
            }
        }
        return texts
    }

    private mutating func problem(_ line: Int, _ sentence: String) {
        problems.append((line, sentence))
    }

    // MARK: Texts

    private static func text(of node: YAMLTree.Node) -> Result<String, Refusal> {
        switch node.value {
        case .marked(let mark): .failure(.refused(mustBeQuoted(mark)))
        case .mapping(_, isFlow: true): .failure(.refused(mustBeQuoted("{")))
        case .mapping, .list, .tooDeep: .failure(.notOneValue)
        case .scalar(let scalar): text(of: scalar)
        }
    }

    private static func text(of scalar: YAMLTree.Scalar) -> Result<String, Refusal> {
        switch scalar.style {
        case .literal: return .failure(.refused(mustBeQuoted("|")))
        case .folded: return .failure(.refused(mustBeQuoted(">")))
        case .plain, .quoted: break
        }
        if scalar.continues { return .failure(.refused("the value continues on the next line")) }
        guard scalar.style == .plain else { return .success(scalar.text) }
        return switch scalar.text {
        case "": .failure(.notOneValue)
        case "~", "null", "Null", "NULL": .failure(.refused("a value is missing"))
        default: .success(scalar.text)
        }
    }

    private static func mustBeQuoted(_ first: Character) -> String {
        "a value that begins with \(first) must stand in quotes"
    }

    /// The text of a setting's name, which may be a pattern. Nil for any other. A star at the
    /// beginning would be an alias without its quotes, so it is refused with them, too.
    private static func settingName(_ node: YAMLTree.Node) -> String? {
        guard case .success(let text) = text(of: node), let first = text.first, first != "*",
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_*".contains($0)) })
        else { return nil }
        return text
    }
}
