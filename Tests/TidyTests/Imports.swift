/// Reads the imports of a Swift file.
enum Imports {
    private static let words: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "@preconcurrency",
        "@_exported", "@testable", "@_implementationOnly",
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]

    /// Every imported module with its line, counted from 1.
    static func of(_ source: SwiftSource) -> [(module: String, line: Int)] {
        source.lineIndices(containing: "import").compactMap { index in
            module(in: source.code[index]).map { ($0, index + 1) }
        }
    }

    /// The module that a line imports; for `import struct A.B` it is `A`.
    static func module(in line: Substring) -> String? {
        let tokens = line.split(separator: " ")
        guard let keyword = tokens.firstIndex(of: "import"),
            tokens[..<keyword].allSatisfy(words.contains)
        else { return nil }
        let name = tokens[(keyword + 1)...].first { !words.contains($0) }
        return name?.split(separator: ".").first.map(String.init)
    }
}
