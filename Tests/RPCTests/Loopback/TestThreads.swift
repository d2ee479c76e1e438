import NIOPosix

/// Threads on which a test may block: its raw sockets wait, and the few threads of Swift's own pool
/// must not be blocked.
final class TestThreads: TaskExecutor {
    private let pool: NIOThreadPool

    private init(_ pool: NIOThreadPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        pool.submit { _ in job.runSynchronously(on: executor) }
    }

    /// Runs `body` and its tasks on threads of their own.
    static func run(_ body: @Sendable () async throws -> Void) async throws {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        do {
            try await withTaskExecutorPreference(TestThreads(pool)) { try await body() }
        } catch {
            try await pool.shutdownGracefully()
            throw error
        }
        try await pool.shutdownGracefully()
    }
}
