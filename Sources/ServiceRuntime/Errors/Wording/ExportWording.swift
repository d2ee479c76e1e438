import Texts

extension Voice {
    /// A sentence of `Sources/Texts/export`: of the page in an archive of a person's data (G-21).
    /// - Parameter key: For example `title`, or `file/account.json`; see a file there.
    /// - Returns: the sentence; empty for an unknown key.
    package func exportSentence(_ key: String) -> String { Self.exportTexts[self]?[key] ?? "" }

    /// Read once, at the first use.
    private static let exportTexts = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Texts.lines("export/index", in: $0.tag)) })
}
