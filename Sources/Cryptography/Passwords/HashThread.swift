import Glibc

/// One thread of the system's, with a body that runs once.
struct HashThread: Sendable {
    // A handle is a number on Linux, which any thread may pass to pthread_join.
    private let handle: pthread_t

    /// Starts a thread at a lower priority: hashes take all the processor they can get, and calls
    /// that wait for none should not feel them.
    init(niceness: Int32, body: @escaping @Sendable () -> Void) throws {
        let start = Start {
            // On Linux 0 names the calling thread. Refused, it runs at normal priority.
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

    /// Returns once the body has. To be called once.
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
