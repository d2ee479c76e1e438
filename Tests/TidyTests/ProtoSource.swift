/// One `.proto` file as its declarations, read line by line in the one layout that ours have.
struct ProtoSource {
    /// The kind of a declaration.
    enum Kind: Equatable {
        case service, rpc, message, enumeration, oneof, field, value, extend
    }

    /// One declaration.
    struct Declaration {
        let kind: Kind
        /// Full name, with the package and the enclosing messages.
        let name: String
        /// The type of a field as written; otherwise empty.
        let type: String
        /// The number of a field or a value; otherwise empty.
        let number: String
        /// Counted from 1.
        let line: Int
        /// Whether a comment is directly above.
        let isCommented: Bool
    }

    let path: String
    private(set) var package = ""
    private(set) var declarations: [Declaration] = []
    private var scopes: [(kind: Kind?, name: String)] = []
    private var comesAfterComment = false

    /// All `.proto` files of the project.
    static func all() throws -> [ProtoSource] {
        let checkout = try Checkout.here.get()
        return try checkout.written(below: "Protos/postern/", suffix: ".proto")
            .map { ProtoSource(path: $0, text: try checkout.text(of: $0)) }
    }

    init(path: String, text: String) {
        self.path = path
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            read(line.trimmed, number: index + 1)
        }
    }

    private mutating func read(_ line: Substring, number: Int) {
        if line.hasPrefix("//") {
            comesAfterComment = true
            return
        }
        let words = line.split(whereSeparator: { " ;{(".contains($0) })
        if words.first == "package", words.count > 1 { package = String(words[1]) }
        let found = declaration(words)
        if let found {
            declarations.append(
                Declaration(
                    kind: found.kind, name: fullName(found.name), type: found.type,
                    number: found.number, line: number, isCommented: comesAfterComment))
        }
        comesAfterComment = false
        for brace in line where brace == "{" || brace == "}" {
            if brace == "}" { _ = scopes.popLast() } else { open(found) }
        }
    }

    private mutating func open(
        _ found: (kind: Kind, name: String, type: String, number: String)?
    ) {
        // The fields of a oneof and of an extension belong to the enclosing scope.
        let isNamed = found?.kind == .message || found?.kind == .enumeration
        scopes.append((found?.kind, isNamed ? found?.name ?? "" : ""))
    }

    private func declaration(
        _ words: [Substring]
    ) -> (kind: Kind, name: String, type: String, number: String)? {
        guard let first = words.first, words.count > 1 else { return nil }
        let keywords: [Substring: Kind] = [
            "service": .service, "rpc": .rpc, "message": .message, "enum": .enumeration,
            "oneof": .oneof, "extend": .extend,
        ]
        if let kind = keywords[first] { return (kind, String(words[1]), "", "") }
        guard let equals = words.firstIndex(of: "="), equals > 0, equals + 1 < words.count,
            !["option", "syntax", "reserved"].contains(first)
        else { return nil }
        let number = String(words[equals + 1])
        if scopes.last?.kind == .enumeration {
            return (.value, String(first), "", number)
        }
        let type = words[..<(equals - 1)].last { !["repeated", "optional"].contains($0) }
        return (.field, String(words[equals - 1]), String(type ?? ""), number)
    }

    private func fullName(_ name: String) -> String {
        ([package] + scopes.map(\.name).filter { !$0.isEmpty } + [name]).joined(separator: ".")
    }
}
