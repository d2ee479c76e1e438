import Glibc

/// An operating system thread that runs its body once.
struct HashThread: Sendable {
    // On Linux a handle is a number that any thread may pass to pthread_join.
    private let handle: pthread_t

    /// Starts a thread at a lower priority: hashes use all the processor time they can get, and
    /// other calls should not be slowed down by them.
    /// - Throws: `CryptographyError.system` when the system has no thread available.
    init(niceness: Int32, body: @escaping @Sendable () -> Void) throws {
        let start = Start {
            // On Linux, 0 means the calling thread. If this fails, the thread runs at normal
            // priority.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            body()
        }
        let context = Unmanaged.passRetained(start)
        var handle = pthread_t()
        let result = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw CryptographyError.system("thread for password hashes", result)
        }
        self.handle = handle
    }

    /// Waits until the body has returned. Call it once.
    func join() {
        pthread_join(handle, nil)
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
