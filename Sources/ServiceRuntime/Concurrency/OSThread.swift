import Glibc
import Synchronization

/// An operating system thread for work that blocks or computes for long (commits, password hashes,
/// libcurl), which must not occupy Swift's small cooperative thread pool.
package final class OSThread: Sendable {
    /// The system has no thread or memory left.
    package struct NotStarted: Error, CustomStringConvertible {
        /// The `errno` of pthread_create(3).
        package let code: Int32

        /// For the log.
        package var description: String { "a thread did not start: \(code)" }
    }

    // On Linux a handle is a number that any thread may pass to pthread_join.
    private let handle: pthread_t
    private let isSettled = Mutex(false)

    /// Starts a thread that runs `body` and ends.
    /// - Parameter niceness: The thread's nice value; nil is that of the process.
    /// - Throws: `NotStarted`.
    package init(
        niceness: Int32? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(NotStarted) {
        let start = Unmanaged.passRetained(
            Start {
                if let niceness {
                    // On Linux, 0 means the calling thread. If this fails, the thread runs at
                    // normal priority.
                    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
                }
                body()
            })
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { start in
                if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw NotStarted(code: code)
        }
        self.handle = handle
    }

    /// Blocks until the thread has ended. Called from the thread itself, or a second time, it
    /// returns at once.
    package func join() {
        guard settle() else { return }
        if pthread_equal(handle, pthread_self()) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    deinit {
        if settle() { pthread_detach(handle) }
    }

    /// Whether the caller is the first to release the thread, by join or detach.
    private func settle() -> Bool {
        isSettled.withLock { settled in
            defer { settled = true }
            return !settled
        }
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
