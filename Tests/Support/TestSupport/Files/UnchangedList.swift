/// Facts that stay as they are, since stores, files of operators and dashboards contain them: the
/// lines of `Tests/Support/Unchanged/<name>.txt`. New ones may be added.
package struct UnchangedList {
    private let file: CommittedFile
    /// The file's lines.
    private let text: [String]
    /// The facts, without the file's comments.
    package var lines: [String] { text.filter { !$0.hasPrefix("#") } }

    /// Reads a list.
    /// - Throws: if the file cannot be read.
    package init(_ name: String) throws {
        file = CommittedFile("Tests/Support/Unchanged/\(name).txt")
        text = try file.text().split(separator: "\n").map(String.init)
    }

    /// The lines that are not among the facts of the programs. Somebody has changed such a fact in
    /// the code, or removed it: the code gets it back, since what exists cannot change with it.
    /// - Parameters:
    ///   - programs: the facts of the programs.
    ///   - subject: how the lines begin that are looked for.
    package func lost(in programs: some Sequence<String>, about subject: String = "") -> [String] {
        let facts = Set(programs)
        return lines.filter { $0.hasPrefix(subject) && !facts.contains($0) }
    }

    /// The facts of the programs without a line, and how to write it. A fact is stored from its
    /// first day on, so it is listed from then on.
    /// - Throws: if the file cannot be written.
    package func unlisted(in programs: some Sequence<String>) throws -> [String] {
        let facts = Set(programs).subtracting(lines).sorted()
        guard CommittedFile.isWriting else { return facts.map { "\($0): \(CommittedFile.hint)" } }
        var text = text
        for fact in facts {
            let kind = fact.prefix { $0 != " " } + " "
            let last = text.lastIndex { $0.hasPrefix(kind) } ?? text.endIndex - 1
            text.insert(fact, at: last + 1)
        }
        try file.writeIfRequested(text.joined(separator: "\n") + "\n")
        return []
    }
}
