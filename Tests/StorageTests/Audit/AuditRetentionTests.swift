import ServiceRuntime
import TestSupport
import Testing

@testable import Storage

@Suite("I-08: old records of the audit trail are removed, under a signed record (A-02)")
struct AuditRetentionTests {
    private static let kept = Duration.seconds(30 * 86_400)

    @Test("whole spans go when their youngest record is old, and the rest is still proven")
    func cut() async throws {
        let fixture = try TrailFixture(keptFor: Self.kept)
        try await fixture.linked(600)
        try await fixture.linked(2)
        fixture.time.advance(by: Self.kept - AuditLinking.interval - AuditLinking.interval)
        try await fixture.cut()
        #expect(try await fixture.numbers().first == 1)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.cut()
        #expect(try await fixture.numbers() == [601, 602, 603])
        #expect(try await fixture.positions(.auditCut) == [603])
        try await fixture.hour()
        let parts = try await fixture.verify()
        #expect(parts.last?.broken == nil && parts.last?.cutPosition == 600)
        let cuts = parts.flatMap(\.statements).filter { $0.kind == .cut }
        #expect(cuts.map(\.position) == [600] && cuts.map(\.records) == [600])
    }

    @Test("without a time for them they stay, and so do those without a link")
    func stay() async throws {
        let fixture = try TrailFixture()
        try await fixture.linked(2)
        fixture.time.advance(by: Self.kept + Self.kept)
        try await fixture.cut()
        #expect(try await fixture.numbers() == [1, 2])
        let other = try TrailFixture(keptFor: Self.kept)
        try await other.write(2)
        other.time.advance(by: Self.kept + Self.kept)
        try await other.cut()
        #expect(try await other.numbers() == [1, 2])
    }

    @Test("no number is given twice, also when all records of a time are gone")
    func numbers() async throws {
        let fixture = try TrailFixture(keptFor: Self.kept)
        try await fixture.linked(3)
        fixture.time.advance(by: Self.kept)
        try await fixture.cut()
        #expect(try await fixture.numbers() == [4])
        try await fixture.linked(1)
        #expect(try await fixture.numbers() == [4, 5])
        try await fixture.expectWhole(2)
        #expect(try await fixture.links().map(\.isAnchor) == [true, false])
    }

    @Test("rows that a crash left after a cut are ignored, and removed later")
    func crash() async throws {
        let fixture = try TrailFixture(keptFor: Self.kept)
        try await fixture.linked(600)
        fixture.time.advance(by: Self.kept)
        let trail = try AuditTrail.test(keptFor: Self.kept)
        let retention = AuditRetention(store: fixture.store, trail: trail, time: fixture.time)
        for _ in 0..<2 { #expect(try await retention.step()) }
        #expect(try await fixture.numbers().count == 600 - Purges.rowsMax + 1)
        try await fixture.expectWhole(0, uncovered: 1)
        try await fixture.cut()
        #expect(try await fixture.numbers() == [601])
        try await fixture.expectWhole(0, uncovered: 1)
    }

    @Test("changed records are not removed, although they look old, and the log says so")
    func changed() async throws {
        let fixture = try TrailFixture(keptFor: Self.kept)
        for _ in 0..<3 { try await fixture.linked(2) }
        try await fixture.store.writeUnchecked {
            _ = try $0.execute("UPDATE audit SET at_ms = 0 WHERE number > 2")
        }
        fixture.time.advance(by: Self.kept)
        try await fixture.cut()
        #expect(try await fixture.numbers() == [3, 4, 5, 6, 7])
        #expect(fixture.log.lines.count { $0.contains("audit.broken") } > 0)
        let broken = try #require(try await fixture.verify().last?.broken)
        #expect(broken.description == "3 to 4: records")
    }
}
