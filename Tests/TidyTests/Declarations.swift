/// Finds declarations in lines of Swift.
enum Declarations {
    /// Declarations whose meaning the standard library's protocols define.
    static let standardWitnesses: Set<String> = [
        "func ==", "func <", "func hash", "var description", "var debugDescription",
        "var customMirror", "func enqueue", "func asUnownedTaskExecutor", "init()",
    ]

    private static let access: Set<Substring> = ["package", "public"]
    private static let modifiers: Set<Substring> = [
        "static", "class", "final", "convenience", "mutating", "nonisolated", "indirect",
        "override",
        "required", "lazy", "weak", "consuming", "borrowing", "nonisolated(unsafe)",
    ]
    private static let keywords: Set<Substring> = [
        "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "typealias", "case",
        "associatedtype", "subscript", "macro",
    ]

    /// The declaration that a line makes visible to other modules, for example `func write` or
    /// `init(from`; nil if there is none.
    static func widelyVisible(in line: Substring) -> String? {
        var words = line.split(separator: " ")[...]
        while let first = words.first, first.hasPrefix("@") { words.removeFirst() }
        guard let first = words.popFirst(), access.contains(first) else { return nil }
        return declared(words)
    }

    /// The requirements of the protocols in a file, named as `widelyVisible` names their witnesses.
    static func requirements(of source: SwiftSource) -> [String] {
        var found: [String] = []
        guard !source.lineIndices(containing: "protocol ").isEmpty else { return [] }
        var isInside = false
        for line in source.code {
            if line.contains("protocol "), line.hasSuffix("{") { isInside = true }
            if line.hasPrefix("}") { isInside = false }
            if isInside, let name = declared(line.split(separator: " ")[...]),
                !name.hasPrefix("protocol")
            {
                found.append(name)
            }
        }
        return found
    }

    /// The lines of a file that `widelyVisible` may find something in.
    static func widelyVisibleLines(of source: SwiftSource) -> [Int] {
        source.lineIndices(containing: "package ", "public ")
    }

    private static func declared(_ words: ArraySlice<Substring>) -> String? {
        var words = words
        while let first = words.first,
            access.contains(first) || (modifiers.contains(first) && !isType(words))
        {
            words.removeFirst()
        }
        guard let first = words.first else { return nil }
        if first.hasPrefix("init") { return initialiser(words.joined(separator: " ")) }
        if first.hasPrefix("subscript") { return "subscript" }
        guard keywords.contains(first), words.count > 1 else { return nil }
        let name = words[words.startIndex + 1].prefix { !"(<:={".contains($0) }
        let isOperator = name.isEmpty
        return "\(first) " + (isOperator ? words[words.startIndex + 1] : name)
    }

    /// `class A` declares a type, `class func a` does not.
    private static func isType(_ words: ArraySlice<Substring>) -> Bool {
        words.first == "class" && !words.dropFirst().contains { keywords.contains($0) }
    }

    /// An initialiser is identified by its first label, since all have the same name.
    private static func initialiser(_ line: String) -> String? {
        guard let bracket = line.firstIndex(of: "(") else { return nil }
        let inside = line[line.index(after: bracket)...]
        return inside.hasPrefix(")") ? "init()" : "init(\(inside.prefix { $0 != ":" && $0 != " " })"
    }
}
