import Glibc
import Synchronization

/// An operating system thread for blocking work (commits, queries), which must not block Swift's
/// small cooperative thread pool.
final class WorkerThread: Sendable {
    private let thread: pthread_t
    private let isSettled = Mutex(false)

    /// Starts a thread that runs `body` and ends.
    /// - Throws: `SQLError` when the system has no thread or memory left.
    init(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let code = pthread_create(&thread, nil, runWork, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SQLError(.other, detail: "a thread did not start: \(code)")
        }
        self.thread = thread
    }

    /// Blocks until the thread has ended. Called from the thread itself, it returns at once.
    func join() {
        guard settle() else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    deinit {
        if settle() { pthread_detach(thread) }
    }

    /// Whether the caller is the first to release the thread, by join or detach.
    private func settle() -> Bool {
        isSettled.withLock { settled in
            defer { settled = true }
            return !settled
        }
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWork(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
    return nil
}
