import Testing

/// Longer ones hold more than one idea, or more than one level of it.
@Suite("No function has more than 70 lines, no file more than 400")
struct SizeTests {
    private static let fileLinesMax = 400
    private static let functionLinesMax = 70

    @Test(
        "no file and no function that is written by hand is longer",
        arguments: ["Sources/", "Tests/", "Protos/"])
    func sizes(folder: String) throws {
        let checkout = try Checkout.here.get()
        let paths = checkout.written(below: folder, suffix: ".swift")
        #expect(!paths.isEmpty)
        expectNone(try paths.flatMap { Self.findings(in: try SwiftSource($0, in: checkout)) })
    }

    @Test("a file of 401 lines is found, one of 400 is not", arguments: [400, 401])
    func files(lines: Int) {
        let text = String(repeating: "let a = 1\n", count: lines)
        let found = Self.findings(in: SwiftSource(path: "x", text: text))
        #expect(found.count == lines - 400)
    }

    @Test(
        "each kind of function of 71 lines is found, one of 70 is not",
        arguments: [
            "func a() {", "@Test(\"a\") func a() async throws {",
            "private static func a<B>(\n    _ b: B\n) -> Int {",
            "package init?(\n    _ a: Int\n)\nwhere B: C {", "deinit {",
            "subscript(a: Int) -> Int {", "package private(set) var a: Int {",
        ])
    func functions(head: String) {
        let headLines = head.split(separator: "\n").count
        // Neither a brace in a regular expression nor one in a text ends the function.
        let body = ["    let a = /[}]/", "    let b = \"\"\"", "}", "    \"\"\""]
        for lines in [70, 71] {
            let rest = Array(repeating: "    a()", count: lines - headLines - body.count - 1)
            let text = ([head] + body + rest + ["}", ""]).joined(separator: "\n")
            let inner = text.split(separator: "\n").map { "    \($0)\n" }.joined()
            for text in [text, "struct S {\n\(inner)}\n"] {
                let found = Self.findings(in: SwiftSource(path: "x", text: text))
                #expect(found.count == lines - 70, "\(text)")
            }
        }
    }

    @Test("a requirement has no body, and a closure is no function")
    func others() {
        let text = """
            protocol P {
                func a()
                var b: Int { get }
            }
            let c = {
            \(String(repeating: "    a()\n", count: 80))}
            """
        #expect(Self.findings(in: SwiftSource(path: "x", text: text)).isEmpty)
    }

    /// The file if it is too long, and its functions that are.
    private static func findings(in source: SwiftSource) -> [Finding] {
        let functions = source.lineIndices(containing: "func", "init", "subscript", "var")
            .compactMap { first -> Finding? in
                guard declares(source.code[first]), let last = end(of: first, in: source.code)
                else { return nil }
                let lines = last - first + 1
                guard lines > functionLinesMax else { return nil }
                return Finding(
                    path: source.path, line: first + 1, complaint: "a function of \(lines) lines")
            }
        // After the last newline begins no line.
        let lines = source.lines.count - 1
        guard lines > fileLinesMax else { return functions }
        return functions
            + [Finding(path: source.path, line: 1, complaint: "a file of \(lines) lines")]
    }

    private static let modifiers: Set<Substring> = [
        "package", "public", "private", "fileprivate", "internal", "set)", "static", "class",
        "final", "override", "mutating", "nonisolated", "convenience", "required",
    ]

    /// Whether a line begins a function, an initialiser, a subscript or a computed variable.
    private static func declares(_ line: Substring) -> Bool {
        let words = line.split { " (<?:".contains($0) }
        if words.contains("func") { return true }
        guard
            let keyword = words.firstIndex(where: {
                ["init", "deinit", "subscript", "var"].contains($0)
            }),
            words[..<keyword].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
        else { return false }
        return words[keyword] != "var" || line.trimmed.hasSuffix("{") && !line.contains(" = ")
    }

    /// The line that closes the body: a brace below the declaration's first letter, after the rest
    /// of its signature. Nil without a body, and for one that ends on its first line.
    private static func end(of first: Int, in code: [Substring]) -> Int? {
        let column = indentation(of: code[first])
        let next = code.indices.dropFirst(first + 1).first { index in
            let text = code[index].trimmed
            return !text.isEmpty && indentation(of: code[index]) <= column
                && ![")", "{", "where "].contains { text.hasPrefix($0) }
        }
        guard let next, indentation(of: code[next]) == column, code[next].trimmed.hasPrefix("}")
        else { return nil }
        return next
    }

    private static func indentation(of line: Substring) -> Int {
        line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
    }
}
