import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The progress line of an import")
struct ImportProgressTests {
    @Test("a dry run does not report that accounts were imported")
    func dryRun() {
        let counts = ImportRun.Counts(created: 20_000)
        #expect(counts.lines(isDryRun: true).first?.hasPrefix("nothing was imported") == true)
        #expect(counts.lines(isDryRun: false).first?.hasPrefix("20000 accounts were") == true)
    }

    @Test("it shows count, rate and remaining time, at most twice a second")
    func line() {
        let time = ManualTime()
        var shown: [String] = []
        var progress = ImportProgress(byteCount: 1_000, start: 200, time: time) { shown.append($0) }
        var counts = ImportRun.Counts()
        for step in 1...10 {
            time.advance(by: .milliseconds(100))
            counts.created += 500
            counts.refused += step.isMultiple(of: 5) ? 1 : 0
            progress.update(counts, position: 200 + Int64(step) * 8)
        }
        #expect(
            shown == [
                "500 accounts, 5000/s, 0 refused, 20 % of the file, 10 s left",
                "3001 accounts, 5001/s, 1 refused, 24 % of the file, 10 s left",
            ])
    }

    @Test("for a pipe it shows count and rate only")
    func pipe() {
        let time = ManualTime()
        let progress = ImportProgress(byteCount: nil, start: 0, time: time) { _ in }
        time.advance(by: .seconds(1))
        let line = progress.line(ImportRun.Counts(), position: 5, now: time.uptime())
        #expect(line == "0 accounts, 0/s, 0 refused")
    }
}
