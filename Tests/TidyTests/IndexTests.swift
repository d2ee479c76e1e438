import Testing

@Suite("The index of Sources/README.md")
struct IndexTests {
    /// With fewer terms, too much can be found only by a reader who already knows its name here.
    private static let rowsMin = 60

    @Test("each row names a file of the checkout, and a type or function that the file declares")
    func rows() throws {
        let checkout = try Checkout.here.get()
        let page = IndexPage(text: try checkout.text(of: IndexPage.path))
        #expect(page.rows.count >= Self.rowsMin)
        let findings = try Self.findings(in: page, paths: Set(checkout.paths)) {
            try SwiftSource($0, in: checkout)
        }
        expectNone(findings)
    }

    @Test("the terms are in alphabetical order: letters, digits and spaces count")
    func order() throws {
        let page = IndexPage(text: try Checkout.here.get().text(of: IndexPage.path))
        let terms = page.rows.map { row in
            row.term.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " }
        }
        #expect(terms == terms.sorted())
    }

    @Test("a missing file, a missing declaration, a duplicate term and a malformed row are found")
    func twin() throws {
        let text = """
            # Sources

            | term | declaration | file |
            |---|---|---|
            | rotation | `Rotation` | `A/Rotation.swift` |
            | reuse | `isReused` | `A/Rotation.swift` |
            | lockout | `Lockout` | `A/Lockout.swift` |
            | family | `Family` | `A/Rotation.swift` |
            | limit | `rotatesMax` | `A/Rotation.swift` |
            | rotation | `Rotation` | `A/Rotation.swift` |
            | half a row | `Rotation` |

            | after | the | table |
            """
        let code = """
            /// No struct Family in a comment.
            package struct Rotation: Sendable {
                private static let rotatesMax = 3
                @discardableResult
                private static func isReused() -> Bool { true }
            }
            """
        let page = IndexPage(text: text)
        #expect(page.rows.count == 6)
        let found = try Self.findings(in: page, paths: ["Sources/A/Rotation.swift"]) {
            SwiftSource(path: $0, text: code)
        }
        #expect(found.map(\.line) == [7, 8, 9, 10, 11])
    }

    @Test("a page without the table has no rows")
    func noTable() {
        let page = IndexPage(text: "# Sources\n\n| what | where |\n|---|---|\n| a | b |\n")
        #expect(page.rows.isEmpty && page.malformed.isEmpty)
    }

    @Test("each path of a Swift file on the page exists in the checkout")
    func files() throws {
        let checkout = try Checkout.here.get()
        let text = try checkout.text(of: IndexPage.path)
        expectNone(Self.missingFiles(in: text, paths: Set(checkout.paths)))
    }

    @Test("a path that does not exist is found; a file name without a folder is ignored")
    func missing() {
        let text = "`A/B.swift` and `A/C.swift`, `Tests/D.swift`\n`…Settings.swift` or `C.swift`\n"
        let found = Self.missingFiles(in: text, paths: ["Sources/A/B.swift", "Tests/D.swift"])
        #expect(found.map(\.complaint) == ["there is no A/C.swift"])
    }

    /// The paths in backticks, from the root or from `Sources/`, that do not exist.
    private static func missingFiles(in text: String, paths: Set<String>) -> [Finding] {
        var findings: [Finding] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            // Every second piece is between backticks.
            for piece in stride(from: 1, to: pieces.count, by: 2).map({ String(pieces[$0]) })
            where piece.contains("/") && piece.hasSuffix(".swift") {
                guard !paths.contains(piece), !paths.contains("Sources/" + piece) else { continue }
                findings.append(
                    Finding(
                        path: IndexPage.path, line: index + 1, complaint: "there is no \(piece)"))
            }
        }
        return findings
    }

    /// The errors of the index, by line.
    private static func findings(
        in page: IndexPage, paths: Set<String>, _ source: (String) throws -> SwiftSource
    ) throws -> [Finding] {
        var terms: Set<String> = []
        var findings = page.malformed.map {
            Finding(path: IndexPage.path, line: $0, complaint: "not term, declaration and file")
        }
        for row in page.rows {
            let wrong: String?
            if terms.insert(row.term).inserted {
                wrong = try complaint(about: row, paths, source)
            } else {
                wrong = "\(row.term) is in the index twice"
            }
            guard let wrong else { continue }
            findings.append(Finding(path: IndexPage.path, line: row.line, complaint: wrong))
        }
        return findings.sorted { $0.line < $1.line }
    }

    private static func complaint(
        about row: IndexPage.Row, _ paths: Set<String>, _ source: (String) throws -> SwiftSource
    ) throws -> String? {
        let path = "Sources/" + row.file
        guard paths.contains(path) else { return "\(row.term): there is no \(path)" }
        let isDeclared = Declarations.typesAndFunctions(of: try source(path)).contains {
            $0.name == row.declaration
        }
        return isDeclared ? nil : "\(row.term): \(path) does not declare \(row.declaration)"
    }
}
