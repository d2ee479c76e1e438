import ServiceRuntime
import Testing

@Suite("Readiness: a program is ready once every part is")
struct ReadinessTests {
    @Test("it waits for all its parts and names the missing ones")
    func parts() {
        let readiness = Readiness(parts: ["store", "keys"])
        #expect(readiness.state == .waiting(parts: ["keys", "store"]))
        readiness.set("keys", isReady: true)
        #expect(readiness.state == .waiting(parts: ["store"]))
        #expect(!readiness.isReady)
        readiness.set("store", isReady: true)
        #expect(readiness.isReady)
    }

    @Test("a part that is gone ends readiness and may come back")
    func going() {
        let readiness = Readiness(parts: ["store"])
        readiness.set("store", isReady: true)
        readiness.set("store", isReady: false)
        #expect(readiness.state == .waiting(parts: ["store"]))
        readiness.set("store", isReady: true)
        #expect(readiness.isReady)
    }

    @Test("draining is final")
    func draining() {
        let readiness = Readiness(parts: ["store"])
        readiness.drain()
        readiness.set("store", isReady: true)
        #expect(readiness.state == .draining)
    }

    @Test("without parts it is ready at once")
    func empty() {
        #expect(Readiness(parts: []).isReady)
    }

    @Test("a watcher gets each state once, the present one first")
    func watching() async {
        let readiness = Readiness(parts: ["store"])
        var changes = readiness.changes().makeAsyncIterator()
        #expect(await changes.next() == .waiting(parts: ["store"]))
        readiness.set("store", isReady: true)
        #expect(await changes.next() == .ready)
        readiness.set("store", isReady: true)
        readiness.drain()
        #expect(await changes.next() == .draining)
    }

    @Test("a slow watcher gets only the newest state")
    func slow() async {
        let readiness = Readiness(parts: ["store"])
        var changes = readiness.changes().makeAsyncIterator()
        readiness.set("store", isReady: true)
        readiness.drain()
        #expect(await changes.next() == .draining)
    }
}
