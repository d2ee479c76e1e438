package import JSON

/// An operator's file with lists of objects in it, which settings have not: rules of documents.
/// JSON or YAML by its name. Each value knows its place, for messages about mistakes.
package struct FileTree: Sendable {
    /// The value of the whole file. Nil where it could not be read to its end.
    package let root: FileNode?
    /// What is wrong with the file as YAML or JSON, each with its place.
    package let problems: [String]

    /// Each level of nesting takes a stack frame.
    static let depthMax = 32
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads the file at `path`.
    package init(path: String, bytesMax: Int) {
        switch FileText.read(path, bytesMax: bytesMax) {
        case .failure(let failure): self.init(refused: failure.sentence, at: path)
        case .success(let bytes): self.init(bytes, path: path)
        }
    }

    private init(root: FileNode?, problems: [String]) {
        self.root = root
        self.problems = problems
    }

    private init(refused sentence: String, at place: String) {
        self.init(root: nil, problems: ["\(place): \(sentence)"])
    }

    private init(_ bytes: [UInt8], path: String) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            self.init(refused: "the file is not UTF-8", at: path)
            return
        }
        if path.hasSuffix(".json") {
            self.init(json: bytes, path: path)
        } else if path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            let values = CoreSchema(YAMLTree(text), file: path)
            self.init(
                root: values.root,
                problems: values.problems.map { "\(path) line \($0.line): \($0.sentence)" })
        } else {
            self.init(refused: "the file's name ends in none of .yaml, .yml and .json", at: path)
        }
    }

    private init(json bytes: [UInt8], path: String) {
        let bytes =
            bytes.starts(with: Self.byteOrderMark)
            ? Array(bytes.dropFirst(Self.byteOrderMark.count)) : bytes
        do {
            let value = try JSONReader.value(
                in: bytes, .init(depthMax: Self.depthMax, membersMax: .max))
            self.init(root: FileNode(value, FilePlace(file: path)), problems: [])
        } catch {
            let line = bytes.prefix(error.position).count { $0 == UInt8(ascii: "\n") } + 1
            self.init(refused: error.reason, at: "\(path) line \(line)")
        }
    }
}

/// A value of a file, and where it is.
package struct FileNode: Sendable {
    /// A value.
    package enum Value: Sendable {
        /// A text, a number, a boolean or `null`.
        case single(JSONValue)
        /// A list.
        case list([FileNode])
        /// Names and their values, in the order of the file, each name once.
        case mapping([Entry])
    }

    /// A name and its value.
    package struct Entry: Sendable {
        /// The name.
        package let name: String
        /// Its value.
        package let node: FileNode

        /// An entry.
        package init(name: String, node: FileNode) {
            self.name = name
            self.node = node
        }
    }

    /// The value.
    package let value: Value
    /// Where it is.
    package let place: FilePlace

    /// A value at a place.
    package init(_ value: Value, _ place: FilePlace) {
        self.value = value
        self.place = place
    }

    /// A value of JSON with the places in it.
    init(_ json: JSONValue, _ place: FilePlace) {
        let value: Value =
            switch json {
            case .array(let values):
                .list(values.enumerated().map { FileNode($0.element, place.item($0.offset)) })
            case .object(let object):
                .mapping(
                    object.members.map {
                        Entry(name: $0.name, node: FileNode($0.value, place.member($0.name)))
                    })
            default: .single(json)
            }
        self.init(value, place)
    }

    /// The value as JSON.
    package var json: JSONValue {
        switch value {
        case .single(let value): value
        case .list(let nodes): .array(nodes.map(\.json))
        case .mapping(let entries):
            .object(
                JSONObject(unique: entries.map { .init(name: $0.name, value: $0.node.json) }))
        }
    }
}

/// A place in a file.
package struct FilePlace: Sendable, CustomStringConvertible {
    private let file: String
    /// The line, from 1. Nil in JSON, whose reader does not know it.
    package private(set) var line: Int?
    private var path = ""

    /// The top of a file.
    init(file: String, line: Int? = nil) {
        self.file = file
        self.line = line
    }

    /// The place of a member.
    func member(_ name: String, line: Int? = nil) -> FilePlace {
        moved(to: path.isEmpty ? name : "\(path).\(name)", line)
    }

    /// The place of an item of a list, from 0.
    func item(_ index: Int, line: Int? = nil) -> FilePlace { moved(to: "\(path)[\(index)]", line) }

    private func moved(to path: String, _ line: Int?) -> FilePlace {
        var place = self
        place.path = path
        place.line = line
        return place
    }

    /// `rules.yaml line 7 collections.profile.needs`
    package var description: String {
        [file, line.map { "line \($0)" }, path.isEmpty ? nil : path]
            .compactMap(\.self).joined(separator: " ")
    }
}
