import Glibc
import Synchronization
import Testing

@testable import ServiceRuntime

@Suite("The executor of low priority")
struct LowPriorityExecutorTests {
    @Test("tasks run on threads of the stated niceness, and give their results")
    func niceness() async {
        let niceness = await Task(executorPreference: LowPriorityExecutor.shared) {
            getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
        }.value
        #expect(niceness == LowPriorityExecutor.niceness)
    }

    @Test("a task that yields goes to the end of the queue")
    func turns() async {
        let executor = LowPriorityExecutor(threads: 1)
        let (steps, gate) = (Steps(), Semaphore())
        await withTaskGroup { tasks in
            // The thread is busy until all tasks are in the queue.
            tasks.addTask(executorPreference: executor) { gate.wait() }
            for name in ["a", "b"] {
                tasks.addTask(executorPreference: executor) {
                    for number in 1...2 {
                        steps.add("\(name)\(number)")
                        await Task.yield()
                    }
                }
            }
            gate.wake()
        }
        #expect(steps.all == ["a1", "b1", "a2", "b2"])
    }

    private final class Steps: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test("if the system gives no thread, tasks run where others do")
    func withoutThreads() async {
        let executor = LowPriorityExecutor(threads: 0)
        #expect(await Task(executorPreference: executor) { 7 }.value == 7)
    }
}
