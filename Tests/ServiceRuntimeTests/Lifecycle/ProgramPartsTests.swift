import ServiceRuntime
import TestSupport
import Testing

@Suite("B3: parts without which a program still serves")
struct ProgramPartsTests {
    private let time = ManualTime()

    @Test("B3: a part fails while any of its sources fails, since the first failure")
    func sources() {
        let part = PartCondition(time: time)
        let first = time.now()
        part.work("store")
        #expect(part.failure == nil)
        part.fail("store", "disk full")
        time.advance(by: .seconds(5))
        part.fail("log", "read-only")
        part.fail("store", "disk failure")
        #expect(part.failure == PartCondition.Failure(since: first, detail: "disk failure"))
        part.work("store")
        #expect(part.failure == PartCondition.Failure(since: time.now(), detail: "read-only"))
        part.work("log")
        #expect(part.failure == nil)
        part.fail("store", "disk full")
        #expect(part.failure?.since == time.now(), "it begins again")
    }

    @Test("B3: parts are listed by name and shown as metrics, and changes reach watchers")
    func listed() async {
        let (parts, store) = (ProgramParts(), PartCondition(time: time))
        parts.add("store") { store.failure }
        parts.add("clock") { nil }
        #expect(parts.states.map(\.name) == ["clock", "store"])
        parts.look()
        var changes = parts.changes().makeAsyncIterator()
        parts.look()
        store.fail("store", "disk full")
        parts.look()
        #expect(await changes.next() != nil)
        let metrics = MetricsRegistry()
        metrics.add(parts)
        let page = metrics.prometheusText()
        #expect(page.contains("postern_degraded{part=\"store\"} 1\n"))
        #expect(page.contains("postern_degraded{part=\"clock\"} 0\n"))
    }

    @Test("B3: one part that hangs makes the program not live")
    func liveness() {
        let parts = ProgramParts()
        #expect(parts.isAlive)
        parts.addLiveness { true }
        #expect(parts.isAlive)
        parts.addLiveness { false }
        #expect(!parts.isAlive)
    }
}
