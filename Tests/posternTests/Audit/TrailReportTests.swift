import Messages
import Testing

@testable import postern

@Suite("A-02: what `postern audit verify` says")
struct TrailReportTests {
    private static let hour: Int64 = 3_600_000

    private func span(
        _ last: Int64, hour: Int64, trail: UInt8 = 1, hasOthers: Bool = true
    ) -> EventsV1.LinkedSpan {
        .init(lastPosition: last, atMs: hour * Self.hour, trail: [trail], hasOthers: hasOthers)
    }

    private func head(_ position: Int64) -> EventsV1.TrailStatement {
        .init(trail: [1], position: position, link: [UInt8(position)])
    }

    private func texts(_ parts: EventsV1.VerifyTrailResponse...) -> [String] {
        var report = TrailReport(of: "session")
        for part in parts { report.add(part) }
        return report.findings([]).map(\.text)
    }

    @Test("each full hour with other records than heads needs its head, the last one not yet")
    func hours() {
        let spans = [
            span(1, hour: 1), span(2, hour: 1), span(3, hour: 2, hasOthers: false),
            span(4, hour: 3), span(5, hour: 4),
        ]
        #expect(texts(.init(spans: spans, statements: [head(2), head(4)])).isEmpty)
        #expect(
            texts(.init(spans: spans, statements: [head(2)])) == [
                "the hour that ends with 4 has no head"
            ])
        // An hour may be in two parts, and a span in both.
        #expect(
            texts(
                .init(spans: [spans[0]], statements: [head(2)]),
                .init(spans: Array(spans[0...2]))
            ).isEmpty)
    }

    @Test("a cut needs a signed statement at its position")
    func cut() {
        let missing = ["the records up to 7 were removed without a signed cut"]
        #expect(texts(.init(cutPosition: 7)) == missing)
        let cut = EventsV1.TrailStatement(isCut: true, trail: [1], position: 7, link: [7])
        #expect(texts(.init(cutPosition: 7), .init(cutPosition: 7, statements: [cut])).isEmpty)
        var older = cut
        older.position = 6
        #expect(texts(.init(cutPosition: 7, statements: [older])) == missing)
    }

    @Test("a broken span is named with its positions and times, and what is after it is not judged")
    func broken() {
        let broken = EventsV1.BrokenSpan(
            firstPosition: 400_001, lastPosition: 400_512, fromMs: 0, toMs: 1_795_248_340_254,
            reason: "records")
        #expect(
            texts(.init(cutPosition: 7, broken: broken)) == [
                "400001 to 400512 are not the records that were linked, or some before them are "
                    + "missing (until 2026-11-21T08:05:40.254Z); nothing after them was read"
            ])
    }

    @Test("the summary says what is whole, and how much is not covered yet")
    func summary() {
        var report = TrailReport(of: "session")
        #expect(report.summary == "session: no record is covered yet")
        report.add(
            .init(
                isWhole: true, records: 12, firstAtMs: 1_795_248_340_254,
                lastAtMs: 1_795_248_350_254, uncovered: 3, cutPosition: 7))
        #expect(
            report.summary
                == "session: whole from 2026-11-21T08:05:40.254Z to 2026-11-21T08:05:50.254Z, "
                + "12 records, after those up to 7 were cut off; 3 are not covered yet")
    }

    @Test("a witness is a list of rows, lines of rows, or bodies of webhooks")
    func witness() {
        var witness = TrailWitness()
        for line in [
            #"[ {"kind":"audit.head","detail":"eyJa.b.c"}"#, #", {"kind":"x","detail":"eyJd.e.f"}"#,
            "]", #"{"kind":"x","detail":"password"}"#, "no JSON", "",
            #"{"type":"audit.head","data":{"position":1,"detail":"eyJg.h.i"}}"#,
        ] {
            witness.take(Array(line.utf8))
        }
        #expect(witness.texts == ["eyJa.b.c", "eyJd.e.f", "eyJg.h.i"])
    }
}
