import Testing

@Suite("Pages: the paths that they name")
struct PagePathTests {
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
