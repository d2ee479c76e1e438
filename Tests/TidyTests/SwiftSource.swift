/// A Swift file by lines: as written, and with comments and string literals replaced by spaces.
///
/// A scanner, not a parser: it knows comments (nested) and string literals (raw, multi-line, with
/// interpolation) and nothing else, which is all that these rules need.
struct SwiftSource {
    let path: String
    /// The lines as written.
    let lines: [Substring]
    /// The same lines, with spaces for comments and strings.
    let code: [Substring]

    init(path: String, text: String) {
        self.path = path
        var scanner = SwiftScanner(text)
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        self.code = scanner.blanked().split(separator: "\n", omittingEmptySubsequences: false)
    }

    init(_ path: String, in checkout: Checkout) throws {
        self.init(path: path, text: try checkout.text(of: path))
    }

    /// Whether a comment is on the line, on the next one, or up to eight lines above without a
    /// blank line in between: one comment may explain a list.
    func isCommented(line index: Int) -> Bool {
        let above = (max(0, index - 8)..<index).reversed().prefix { !lines[$0].trimmed.isEmpty }
        return ([index, index + 1] + above).contains {
            lines.indices.contains($0) && holdsComment($0)
        }
    }

    /// The lines of comment directly above a declaration and its attributes, the nearest first.
    func comment(above index: Int) -> [Substring] {
        let above = (0..<index).reversed().drop { code[$0].trimmed.hasPrefix("@") }
        return above.prefix { lines[$0].trimmed.hasPrefix("//") }.map { lines[$0].trimmed }
    }

    private func holdsComment(_ index: Int) -> Bool {
        lines[index].contains("//") && !code[index].contains("//")
    }
}

extension Substring {
    /// Without spaces at either end.
    var trimmed: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return rest
    }
}
