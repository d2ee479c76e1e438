import ServiceRuntime
import Testing

@Suite("Readiness: a program is ready once every part is")
struct ReadinessTests {
    @Test("it waits for all its parts and names the missing ones")
    func parts() {
        let readiness = Readiness(parts: ["store", "keys"])
        #expect(readiness.state == .waiting(parts: ["keys", "store"]))
        readiness.setReady("keys")
        #expect(readiness.state == .waiting(parts: ["store"]))
        #expect(!readiness.isReady)
        readiness.setReady("store")
        #expect(readiness.isReady)
    }

    @Test("draining is final")
    func draining() {
        let readiness = Readiness(parts: ["store"])
        readiness.drain()
        readiness.setReady("store")
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
        readiness.setReady("store")
        #expect(await changes.next() == .ready)
        readiness.setReady("store")
        readiness.drain()
        #expect(await changes.next() == .draining)
    }

    @Test("a slow watcher gets only the newest state")
    func slow() async {
        let readiness = Readiness(parts: ["store"])
        var changes = readiness.changes().makeAsyncIterator()
        readiness.setReady("store")
        readiness.drain()
        #expect(await changes.next() == .draining)
    }
}
