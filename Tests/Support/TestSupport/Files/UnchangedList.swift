import FoundationEssentials

/// Facts that stay as they are, since stores, files of operators and dashboards contain them: the
/// lines of `Tests/Support/Unchanged/<name>.txt`. New ones may be added.
package struct UnchangedList {
    /// The facts, without the file's comments.
    package let lines: [String]

    /// Reads a list.
    /// - Throws: if the file cannot be read.
    package init(_ name: String) throws {
        // Links are resolved first, because a test target may be reached through a link.
        let support = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try Data(contentsOf: support.appending(path: "Unchanged/\(name).txt"))
        lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map(String.init)
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
}
