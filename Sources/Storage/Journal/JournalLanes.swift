import Glibc
import Synchronization

/// Threads that read a journal's files at once, each a share of the content: what a start of ten
/// million states waits for is the processor, not the disk.
struct JournalLanes {
    /// More would wait for memory, and a start is short.
    private static let lanesMax = 8
    /// Less content than this is read before a second thread has begun.
    private static let laneBytesMin = 512 << 10

    /// How many there are.
    let count: Int

    /// As many as there are processors, and as are worth their while for so many bytes.
    init(bytes: Int) {
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        count = min(max(1, processors), Self.lanesMax, bytes / Self.laneBytesMin + 1)
    }

    /// Runs each lane, told its number, and returns when all have ended.
    /// - Returns: what the first lane returned.
    /// - Throws: what one of them threw, the first of those that did.
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
        let others = try (1..<count).map { number in try WorkerThread { _ = attempt(number) } }
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
