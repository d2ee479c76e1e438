import Glibc
import ServiceRuntime
import Synchronization

/// Threads that read a journal's files in parallel, each a share of the content. A start with ten
/// million states is bound by the processor, not by the disk.
struct JournalLanes {
    /// More threads would wait for memory, and a start is short.
    private static let lanesMax = 8
    /// Content smaller than this is read before a second thread has started.
    private static let laneBytesMin = 512 << 10

    /// Number of threads, including the caller's.
    let count: Int

    /// One for each processor, but no more than the content's size justifies.
    init(bytes: Int) {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        count = min(max(1, processors), Self.lanesMax, bytes / Self.laneBytesMin + 1)
    }

    /// Runs `lane` once on each thread, with the thread's number, and returns when all have
    /// finished.
    /// - Returns: the result of the first.
    /// - Throws: the error of the lowest-numbered lane that failed.
    func run<Result: Sendable>(_ lane: @escaping @Sendable (Int) throws -> Result) throws -> Result
    {
        let failures = Mutex<[Int: any Error]>([:])
        let attempt: @Sendable (Int) -> Result? = { number in
            do {
                return try lane(number)
            } catch {
                failures.withLock { $0[number] = error }
                return nil
            }
        }
        let others = try (1..<count).map { number in try OSThread { _ = attempt(number) } }
        let result = attempt(0)
        for other in others { other.join() }
        let first = failures.withLock { failed in
            failed.min { $0.key < $1.key }?.value
        }
        if let first { throw first }
        guard let result else { preconditionFailure("a lane that fails says why") }
        return result
    }
}
