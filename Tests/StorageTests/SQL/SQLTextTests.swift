import FoundationEssentials
import TestSupport
import Testing

/// The SQL of all services. `sql_texts.py` collects it, prepares it on both engines, and refuses
/// what they mean differently. `two_sessions.py` runs the purges on PostgreSQL.
@Suite("One SQL text for SQLite and PostgreSQL")
struct SQLTextTests {
    /// Links are resolved first, because a test target may be reached through a link.
    private static let scripts = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Support/PostgreSQL")

    /// Runs a script.
    /// - Returns: the number at the beginning of its last line.
    private func count(_ script: String) throws -> Int {
        let path = Self.scripts.appending(path: script).path
        let run = try SystemCommand("python3", [path], withErrors: true)
        #expect(run.exitCode == 0, "\(run.said)")
        let counts = run.said.split(separator: "\n").last ?? ""
        print(counts)
        return Int(counts.prefix { $0.isNumber }) ?? 0
    }

    @Test("every statement of the sources prepares on SQLite and on PostgreSQL 15")
    func everyStatement() throws {
        // "269 statements, 47 migrations", when this was written.
        #expect(try count("sql_texts.py") > 200, "the script finds few statements")
    }

    @Test("no purge deletes a row that another session of PostgreSQL 15 renews meanwhile")
    func renewedRows() throws {
        // "24 purges", when this was written.
        #expect(try count("two_sessions.py") > 20, "the script finds few purges")
    }
}
