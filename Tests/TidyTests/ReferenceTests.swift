import Testing

@Suite("References to ids, pages and issues")
struct ReferenceTests {
    /// Suffixes of files that are written by hand.
    private static let suffixes = [
        ".swift", ".proto", ".md", ".py", ".sh", ".c", ".h", ".cpp", ".yaml", "Dockerfile",
    ]

    @Test("requirement ids have a row, pages exist, and no issue is referred to by its number")
    func references() throws {
        let checkout = try Checkout.here.get()
        let page = RequirementsPage(text: try checkout.text(of: RequirementsPage.path))
        #expect(page.ids.count > 100)
        let pages = checkout.paths.filter { $0.hasSuffix(".md") }
        let findings = try checkout.paths.filter(Self.isWritten).flatMap { path in
            Self.findings(in: try checkout.text(of: path), path: path, page, pages)
        }
        expectNone(findings)
    }

    // Each `~` is removed before the test; otherwise this file would contain the findings.
    @Test(
        "a reference to a missing id, page or issue is found",
        arguments: [
            "(G-~11)", "/// G-10, G-~99: why", "requirement: G-10/G-~11", "FR-~999",
            "\"B~6: a title\"", "(B5, B~6)", "design~.md says why", "see ../nowhere~.md.",
            "issue~ 7", "Issues~ #7 and more",
        ])
    func stray(sample: String) {
        let text = sample.filter { $0 != "~" }
        #expect(Self.findings(inSample: text).count == 1, "\(text)")
    }

    @Test(
        "a valid reference is not reported, nor a text that only looks like a reference",
        arguments: [
            "G-10", "(B5)", "FR-003", "SHA-256", "P-256", "CVE-2021-44228", "[\"B6\"]", "x.B6",
            "RPC/README.md", "[wire](../../Sources/RPC/README.md).", "*.md", "issue 12a",
            "Issue.record(7)", "an issue. 7 of them",
        ])
    func found(text: String) {
        #expect(Self.findings(inSample: text).isEmpty, "\(text)")
    }

    @Test("a proto has ids in requirement lines only, which the generator leaves out")
    func protos() throws {
        let checkout = try Checkout.here.get()
        let page = RequirementsPage(text: try checkout.text(of: RequirementsPage.path))
        let protos = checkout.written(below: "Protos/postern/", suffix: ".proto")
        expectNone(
            try protos.flatMap { path in
                Self.idsInProse(of: try checkout.text(of: path), path: path, page)
            })
        let twin = "// Rotates (G-10).\n  // requirement: G-10\n"
        #expect(Self.idsInProse(of: twin, path: "x", page).map(\.line) == [1])
    }

    private static func idsInProse(
        of text: String, path: String, _ page: RequirementsPage
    ) -> [Finding] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return WordScanner(text).filter { word in
            page.ids.contains(word.text)
                && !lines[word.line - 1].trimmed.hasPrefix("// requirement: ")
        }
        .map { Finding(path: path, line: $0.line, complaint: "\($0.text) in a sentence") }
    }

    private static func findings(inSample text: String) -> [Finding] {
        findings(
            in: text, path: "x",
            RequirementsPage(text: "| id | what |\n| G-10 | x |\n| B5 | y |\n| FR-003 | z |"),
            ["Sources/RPC/README.md"])
    }

    private static func isWritten(_ path: String) -> Bool {
        suffixes.contains { path.hasSuffix($0) } && !path.contains("/Generated/")
            && !path.hasPrefix("Sources/CMessages/")
    }

    private static func findings(
        in text: String, path: String, _ page: RequirementsPage, _ pages: [String]
    ) -> [Finding] {
        var findings: [Finding] = []
        var last: WordScanner.Word?
        for word in WordScanner(text) {
            var complaints = unknownIDs(in: word, page).map {
                "\($0) has no row in \(RequirementsPage.path)"
            }
            if let name = missingPage(word, pages) {
                complaints.append("\(name) is not in the checkout")
            }
            if let last, isIssue(last, word) {
                complaints.append("an issue's number says nothing here: write what was meant")
            }
            findings += complaints.map { Finding(path: path, line: word.line, complaint: $0) }
            last = word
        }
        return findings
    }

    /// A word with hyphens is checked by its parts, as in `G-10/G-11`. A word without, such as
    /// `B5`, may be anything: it counts only in a list of ids or at the start of a title.
    private static func unknownIDs(
        in word: WordScanner.Word, _ page: RequirementsPage
    ) -> [String] {
        if word.hasHyphen {
            return word.text.split(whereSeparator: { "./_".contains($0) }).map(String.init)
                .filter { $0.utf8.contains(UInt8(ascii: "-")) && page.lacks($0) }
        }
        guard word.bytes.count <= 3, "\"( ".utf8.contains(word.before),
            ":,)".utf8.contains(word.after), page.lacks(word.text)
        else { return [] }
        return [word.text]
    }

    /// The page that a word names, by its whole path or the end of it; nil if the page exists, and
    /// for other words.
    private static func missingPage(_ word: WordScanner.Word, _ pages: [String]) -> String? {
        guard word.hasDot else { return nil }
        let name = word.text.split(separator: "/").filter { $0 != "." && $0 != ".." }
            .joined(separator: "/")
        let page = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard page.hasSuffix(".md"), page != ".md",
            !pages.contains(where: { $0 == page || $0.hasSuffix("/" + page) })
        else { return nil }
        return page
    }

    /// Whether a number follows the word "issue", with or without a `#`.
    private static func isIssue(_ last: WordScanner.Word, _ word: WordScanner.Word) -> Bool {
        last.after == UInt8(ascii: " ") && (last.bytes.count == 5 || last.bytes.count == 6)
            && ["issue", "issues"].contains(last.text.lowercased())
            && " #".utf8.contains(word.before) && word.text.allSatisfy(\.isNumber)
            // Not `issues = 6`.
            && word.bytes.startIndex - last.bytes.endIndex <= 2
    }
}
