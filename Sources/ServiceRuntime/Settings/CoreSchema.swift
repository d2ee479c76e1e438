import JSON

/// The values of a YAML text by YAML 1.2's core schema: unquoted ones are null, booleans and
/// numbers where they look so; all others are texts.
///
/// Refuses anchors and aliases, tags, values of several lines without `|` or `>`, repeated names,
/// and several documents. After a violation of YAML's syntax there is no value.
struct CoreSchema {
    /// A mistake after which nothing is read.
    private struct Stop: Error {}

    /// The whole file's value. Nil where it could not be read to its end; null for an empty file.
    private(set) var root: FileNode?
    /// The problems, with their lines.
    private(set) var problems: [(line: Int, sentence: String)] = []

    /// Reads the tree of a file's text.
    init(_ tree: YAMLTree, file: String) {
        do throws(Stop) {
            let top = FilePlace(file: file, line: tree.root?.line ?? 1)
            root = FileNode(.single(.null), top)
            if let node = tree.root { root = try read(node, at: top) }
            switch tree.end {
            case nil: break
            case .syntax(let line, let sentence)?: throw stop(line, sentence)
            case .notOneDocument(let line)?:
                throw stop(line, "the file must be one document without directives")
            }
        } catch {
            // The problem that ended the reading is in `problems`.
            root = nil
        }
    }

    private mutating func read(
        _ node: YAMLTree.Node, at place: FilePlace
    ) throws(Stop) -> FileNode {
        switch node.value {
        case .marked(let mark): throw stop(node.line, Self.mustBeQuoted(mark))
        case .tooDeep: throw stop(node.line, "the line is nested too deeply")
        case .scalar(let scalar):
            let text = text(of: scalar, node.line)
            return FileNode(
                .single(scalar.style == .plain ? Self.plain(text) : .string(text)), place)
        case .list(let items):
            var nodes: [FileNode] = []
            for item in items {
                nodes.append(try read(item, at: place.item(nodes.count, line: item.line)))
            }
            return FileNode(.list(nodes), place)
        case .mapping(let entries, _):
            return FileNode(.mapping(try read(entries, of: place)), place)
        }
    }

    private mutating func read(
        _ entries: [YAMLTree.Entry], of place: FilePlace
    ) throws(Stop) -> [FileNode.Entry] {
        var members: [FileNode.Entry] = []
        // The lines of the names, to report a repeated one.
        var lines: [String: Int] = [:]
        for entry in entries {
            let line = entry.name.line
            let name = try name(entry.name)
            let first = lines[name]
            if let first {
                problems.append((line, "\(name) is given twice, first in line \(first)"))
            }
            let node = try read(entry.value, at: place.member(name, line: line))
            // The first of a repeated name counts.
            if first == nil {
                lines[name] = line
                members.append(.init(name: name, node: node))
            }
        }
        return members
    }

    private mutating func name(_ node: YAMLTree.Node) throws(Stop) -> String {
        switch node.value {
        case .scalar(let scalar): return text(of: scalar, node.line)
        case .marked(let mark): throw stop(node.line, Self.mustBeQuoted(mark))
        case .list, .mapping, .tooDeep: throw stop(node.line, "a name must be a plain text")
        }
    }

    private mutating func text(of scalar: YAMLTree.Scalar, _ line: Int) -> String {
        if scalar.continues { problems.append((line, "the value continues on the next line")) }
        return scalar.text
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

    private mutating func stop(_ line: Int, _ sentence: String) -> Stop {
        problems.append((line, sentence))
        return Stop()
    }

    private static func mustBeQuoted(_ first: Character) -> String {
        "a value that begins with \(first) must be in quotes"
    }
}
