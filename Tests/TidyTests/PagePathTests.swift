import Testing

@Suite("Pages: the paths that they name, and those for operators")
struct PagePathTests {
    /// A page for operators is read in one sitting.
    private static let wordsMax = 1_000

    @Test("each path of a Swift file on a page exists in the checkout")
    func files() throws {
        let checkout = try Checkout.here.get()
        let pages = checkout.paths.filter { $0.hasSuffix(".md") }
        #expect(pages.count > 20)
        let files = checkout.paths.filter { $0.hasSuffix(".swift") }
        expectNone(
            try pages.flatMap { page in
                Self.missingFiles(in: try checkout.text(of: page), of: page, files: files)
            })
    }

    @Test("a path that does not exist is found; a file name without a folder is ignored")
    func missing() {
        let text = """
            `A/B.swift`, `A/C.swift`, `Tests/D.swift`
            `…Settings.swift`, `C.swift`, `../A/B.swift`, `E/B.swift`
            """
        let found = Self.missingFiles(
            in: text, of: "x", files: ["Sources/A/B.swift", "Tests/D.swift"])
        #expect(found.map(\.line) == [1, 2])
        #expect(found.map(\.complaint) == ["there is no A/C.swift", "there is no E/B.swift"])
    }

    @Test("each page for operators is in their index, and has 1,000 words at most")
    func operators() throws {
        let checkout = try Checkout.here.get()
        let index = try checkout.text(of: "docker/README.md")
        let pages = checkout.written(below: "docker/", suffix: ".md")
            .filter { $0 != "docker/README.md" }
        #expect(pages.count > 10)
        for page in pages {
            #expect(index.contains("](\(page.dropFirst("docker/".count)))"), "\(page)")
            let words = try checkout.text(of: page).split(whereSeparator: \.isWhitespace)
            #expect(page == "docker/CHANGES.md" || words.count <= Self.wordsMax, "\(page)")
        }
    }

    /// The paths of Swift files in backticks, whole or from any folder on, that do not exist.
    private static func missingFiles(
        in text: String, of page: String, files: [String]
    ) -> [Finding] {
        var findings: [Finding] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            // Every second piece is between backticks.
            for piece in stride(from: 1, to: pieces.count, by: 2).map({ pieces[$0] })
            where piece.contains("/") && piece.hasSuffix(".swift") {
                let name = piece.split(separator: "/").filter { $0 != "." && $0 != ".." }
                    .joined(separator: "/")
                guard !files.contains(where: { $0 == name || $0.hasSuffix("/" + name) }) else {
                    continue
                }
                findings.append(
                    Finding(path: page, line: index + 1, complaint: "there is no \(name)"))
            }
        }
        return findings
    }
}
