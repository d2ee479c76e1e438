import Cryptography
import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("A-02: links of the audit trail, and heads of its hours")
struct AuditLinkingTests {
    private let fixture: TrailFixture

    init() throws { fixture = try TrailFixture() }

    @Test("records get a link when the oldest of them is a minute old")
    func minute() async throws {
        try await fixture.write(3)
        fixture.time.advance(by: AuditLinking.interval - .milliseconds(1))
        try await fixture.link()
        try await fixture.expectWhole(0, uncovered: 3)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.link()
        let links = try await fixture.links()
        #expect(links.map { [$0.first, $0.last, $0.records] } == [[1, 3, 3]])
        try await fixture.expectWhole(3)
    }

    @Test("10,000 records get a link at once, and the rest later")
    func many() async throws {
        try await fixture.write(10_001)
        try await fixture.link()
        #expect(try await fixture.links().map(\.records) == [10_000])
        try await fixture.expectWhole(10_000, uncovered: 1)
        fixture.time.advance(by: AuditLinking.interval)
        try await fixture.link()
        try await fixture.expectWhole(10_001)
    }

    @Test("each full hour has a head, signed, and a line in the log")
    func head() async throws {
        try await fixture.linked(3)
        let link = try #require(try await fixture.links().last)
        fixture.time.advance(by: .seconds(3_600))
        try await fixture.link()
        #expect(try await fixture.positions(.auditHead) == [4])
        let record = try await fixture.store.read { session in
            try session.queryOne("SELECT detail, attempt FROM audit WHERE number = 4") {
                (text: try $0.text(0), position: try $0.integer(1))
            }
        }
        let (text, position) = try #require(record)
        let keys = try AuditTrail.test().keys
        let head = try TrailStatement(text, signedBy: keys.publicKey)
        #expect(head == TrailStatement(.head, of: link, records: 3, service: "entries"))
        #expect(position == 3)
        #expect(fixture.log.lines.count { $0.contains("audit.head") && $0.contains(text) } == 1)
        let other = try AuditTrail.test(master: 8).keys
        #expect(throws: TokenRefusal.signature) {
            try TrailStatement(text, signedBy: other.publicKey)
        }
    }

    @Test("an idle service writes nothing: an hour of a head alone has none")
    func idle() async throws {
        try await fixture.linked(1)
        try await fixture.hour()
        for _ in 0..<5 { try await fixture.hour() }
        #expect(try await fixture.numbers() == [1, 2])
        try await fixture.expectWhole(2)
    }

    @Test("the spans of an hour are joined when it has its head, and its last link stays")
    func joined() async throws {
        for _ in 0..<5 { try await fixture.linked(2) }
        let last = try #require(try await fixture.links().last)
        try await fixture.hour()
        let links = try await fixture.links()
        #expect(links.map { [$0.first, $0.last, $0.records] } == [[1, 10, 10], [11, 11, 1]])
        #expect(links.first?.link == last.link)
        try await fixture.expectWhole(11)
    }

    @Test("spans are joined up to 100,000 records, and not over an anchor, a trail or a form")
    func joins() throws {
        func joined(_ spans: [[Int64]]) throws -> [[Int64]] {
            let links = try spans.map { span in
                let numbers = span.map { SQLValue.integer($0) }
                return try TrailLink(
                    SQLRow(
                        [
                            numbers[0], numbers[1], numbers[2], .blob([]), .blob([]),
                            .blob([UInt8(span[3])]), numbers[4], .integer(0),
                        ],
                        names: [
                            "first_position", "last_position", "records", "digest", "link",
                            "trail", "form", "at_ms",
                        ]))
            }
            return AuditLinking.joined(links).map { [$0.first, $0.last, $0.records] }
        }
        let full: [[Int64]] = [[1, 6, 60_000, 1, 1], [7, 9, 40_000, 1, 1], [10, 10, 1, 1, 1]]
        #expect(try joined(full) == [[1, 9, 100_000], [10, 10, 1]])
        let cut: [[Int64]] = [[6, 5, 0, 1, 1], [6, 8, 3, 1, 1], [9, 9, 1, 1, 1]]
        #expect(try joined(cut) == [[6, 5, 0], [6, 9, 4]])
        #expect(try joined([[1, 2, 2, 1, 1], [3, 4, 2, 2, 1]]) == [[1, 2, 2], [3, 4, 2]])
        #expect(try joined([[1, 2, 2, 1, 1], [3, 4, 2, 1, 2]]) == [[1, 2, 2], [3, 4, 2]])
        #expect(try joined([]).isEmpty)
    }

    @Test("records of an earlier version are linked, also with gaps that its purge has left")
    func upgraded() async throws {
        try await fixture.write(50)
        try await fixture.store.writeUnchecked {
            _ = try $0.execute("DELETE FROM audit WHERE number IN (1, 2, 5, 17)")
        }
        try await fixture.linked(1)
        let links = try await fixture.links()
        #expect(links.map { [$0.first, $0.last, $0.records] } == [[3, 51, 47]])
        try await fixture.hour()
        try await fixture.expectWhole(48)
    }

    @Test("of two instances that link at once, one does")
    func twice() async throws {
        try await fixture.write(2)
        fixture.time.advance(by: AuditLinking.interval)
        let linking = fixture.linking
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { _ = try? await linking.step() } }
        }
        #expect(try await fixture.links().count == 1)
        try await fixture.expectWhole(2)
    }

    @Test("a clock that was set back delays no link")
    func clock() async throws {
        try await fixture.linked(1)
        fixture.time.goOn(from: fixture.time.now() + .seconds(7_200))
        try await fixture.write(1)
        fixture.time.goOn(from: fixture.time.now() - .seconds(7_200))
        try await fixture.link()
        try await fixture.expectWhole(2)
    }

    @Test("the digest tells nil from empty, and where a column ends")
    func digest() async throws {
        let values: [(app: String?, actor: String?)] = [
            ("", nil), (nil, ""), ("a", "b"), ("ab", ""), (nil, nil),
        ]
        let digests = try await fixture.store.writeUnchecked { transaction in
            try values.map { value in
                _ = try transaction.execute(
                    "INSERT INTO audit (number, at_ms, kind, app, actor) VALUES (1, 2, 'x', ?, ?)",
                    [SQLValue(value.app), SQLValue(value.actor)])
                let records = try transaction.linkedRecords(after: 0, limit: 1)
                _ = try transaction.execute("DELETE FROM audit WHERE number = 1")
                return records.map { TrailDigest(beginning: [1], after: []).adding($0) }
            }
        }
        #expect(Set(digests.joined()).count == values.count)
    }
}
