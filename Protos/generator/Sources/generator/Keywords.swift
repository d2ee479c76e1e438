/// Words that Swift keeps for itself.
enum Keywords {
    /// Swift takes these as names only between backticks.
    static let swift: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
        "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}

/// `name` as Swift code.
func escaped(_ name: String) -> String {
    Keywords.swift.contains(name) ? "`\(name)`" : name
}
