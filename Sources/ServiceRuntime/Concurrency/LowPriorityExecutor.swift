import Glibc
import Synchronization

/// Runs work that computes for many milliseconds, on threads of its own whose priority is lower than
/// that of all others. A task that yields goes to the end of the queue.
///
/// The attack: a few accounts change documents of a megabyte, or upload photos, without end. On the
/// threads of all calls they would take the processor from everybody's sign-ins.
package final class LowPriorityExecutor: TaskExecutor {
    /// The executor of this process, with a thread for each core.
    package static let shared = LowPriorityExecutor(
        threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// How much lower than normal the priority of the threads is (nice(1): 0 … 19): lower than that
    /// of password hashes, for which people wait.
    package static let niceness: Int32 = 12

    private let jobs = Mutex<[UnownedJob]>([])
    private let wakeUps = Semaphore()
    private let threads = Mutex<[OSThread]>([])

    /// Starts the threads, which run as long as the process: as many as the system gives. Without any,
    /// jobs run where others do.
    init(threads count: Int) {
        for _ in 0..<count {
            // Ignored: one thread is enough.
            guard let thread = try? OSThread(niceness: Self.niceness, { self.work() }) else {
                return
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Adds a job to the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        guard threads.withLock({ !$0.isEmpty }) else {
            return globalConcurrentExecutor.enqueue(job)
        }
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wakeUps.wake()
    }

    private func work() -> Never {
        while true {
            wakeUps.wait()
            let job = jobs.withLock { $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
