/// The length of a file or function.
struct Size {
    let lines: Int
    /// The path, with the line if it is a function.
    let name: String
}

/// Finds the functions of a file and their lengths.
enum FunctionSizes {
    /// Every function and initialiser with a body, from its name to its closing brace.
    static func of(_ source: SwiftSource) -> [Size] {
        source.lineIndices(containing: "func", "init").compactMap { index in
            guard declares(source.code[index]), let last = end(from: index, in: source.code) else {
                return nil
            }
            return Size(lines: last - index + 1, name: "\(source.path):\(index + 1)")
        }
    }

    private static func declares(_ line: Substring) -> Bool {
        let words = line.split(whereSeparator: { " (<?".contains($0) })
        if words.contains("func") { return true }
        guard let name = words.firstIndex(where: { $0 == "init" || $0 == "deinit" }) else {
            return false
        }
        let modifiers = ["package", "public", "private", "fileprivate", "internal", "convenience"]
        return words[..<name].allSatisfy { modifiers.contains(String($0)) || $0.hasPrefix("@") }
    }

    /// The line of the brace that closes the body; nil for a requirement without a body.
    private static func end(from first: Int, in code: [Substring]) -> Int? {
        var brackets = 0
        var braces = 0
        for index in first..<code.count {
            if index > first, brackets == 0, braces == 0, isNext(code[index]) { return nil }
            for byte in code[index].utf8 {
                switch byte {
                case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets -= 1
                case UInt8(ascii: "{") where brackets == 0: braces += 1
                case UInt8(ascii: "}") where brackets == 0:
                    braces -= 1
                    if braces <= 0 { return braces < 0 ? nil : index }
                default: break
                }
            }
        }
        return nil
    }

    /// Whether the line begins something else than the rest of a signature.
    private static func isNext(_ line: Substring) -> Bool {
        let line = line.trimmed
        return line.isEmpty
            || ["func", "init", "var", "}", "static", "package", "associatedtype"]
                .contains { line.hasPrefix($0) }
    }
}
