import Glibc
import ServiceRuntime
import Synchronization
import Testing

@Suite("An operating system thread", .timeLimit(.minutes(1)))
struct OSThreadTests {
    private final class Box: Sendable {
        let runs = Atomic<Int>(0)
        let niceness = Atomic<Int>(0)
    }

    @Test("it runs its body once, and a second join returns at once")
    func joined() throws {
        let box = Box()
        let thread = try OSThread { box.runs.add(1, ordering: .relaxed) }
        thread.join()
        thread.join()
        #expect(box.runs.load(ordering: .relaxed) == 1)
    }

    @Test("the body runs with the requested niceness")
    func nice() throws {
        let box = Box()
        let thread = try OSThread(niceness: 19) {
            let niceness = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            box.niceness.store(Int(niceness), ordering: .relaxed)
        }
        thread.join()
        #expect(box.niceness.load(ordering: .relaxed) == 19)
    }
}
