import Contracts
import TestSupport
import Testing

@testable import postern

@Suite("R-03: the tables of limits for people")
struct LimitTablesTests {
    @Test("the page of the rate limiter has the table of each group, as the rows of the limits are")
    func page() throws {
        let page = CommittedFile("Sources/RateLimitService/README.md")
        var lines = try page.text().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        for group in LimitGroup.allCases {
            let table = try #require(Self.table(below: "## \(group.rawValue)", in: lines))
            if CommittedFile.isWriting {
                lines.replaceSubrange(table, with: group.table)
            } else {
                #expect(Array(lines[table]) == group.table, "\(CommittedFile.hint)")
            }
        }
        try page.writeIfRequested(lines.joined(separator: "\n"))
    }

    @Test("each limit is in one table, with its name and rule in front")
    func complete() {
        let rows = LimitGroup.allCases.flatMap { $0.table.dropFirst(2) }
        #expect(rows.count == LimitName.allCases.count)
        for limit in LimitName.allCases {
            let start = "| `\(limit.rawValue)` \(limit.rule.text)"
            #expect(rows.count { $0.hasPrefix(start) } == 1, "\(limit)")
        }
        #expect(rows.allSatisfy { $0.count { $0 == "|" } == 7 }, "six cells")
    }

    /// The first table below a heading; nil if there is none before the next one.
    private static func table(below heading: String, in lines: [String]) -> Range<Int>? {
        guard let start = lines.firstIndex(of: heading) else { return nil }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        guard let first = section.firstIndex(where: { $0.hasPrefix("|") }) else { return nil }
        return first..<(section[first...].firstIndex { !$0.hasPrefix("|") } ?? section.endIndex)
    }
}
