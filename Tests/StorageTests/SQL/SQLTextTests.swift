import FoundationEssentials
import TestSupport
import Testing

/// The SQL of all services. `sql_texts.py` collects it and prepares it on both engines.
@Suite("One SQL text for SQLite and PostgreSQL")
struct SQLTextTests {
    /// Links are resolved first, because a test target may be reached through a link.
    private static let script = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Support/PostgreSQL/sql_texts.py").path

    @Test("every statement of the sources prepares on SQLite and on PostgreSQL 15")
    func everyStatement() throws {
        let run = try SystemCommand("python3", [Self.script], withErrors: true)
        #expect(run.exitCode == 0, "\(run.said)")
        // The last line: "269 statements, 47 migrations", when this was written.
        let counts = run.said.split(separator: "\n").last ?? ""
        print(counts)
        let statements = Int(counts.prefix { $0.isNumber }) ?? 0
        #expect(statements > 200, "the script finds few statements: \(counts)")
    }
}
