import Glibc

/// A counting semaphore (POSIX), whose address must not change. Its waits block the thread: for threads
/// of our own (`OSThread`) only.
// Unchecked: any thread may call sem_post and sem_wait at any time.
package final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// One whose count is 0.
    package init() {
        let result = sem_init(semaphore, 0, 0)
        precondition(result == 0, "0 is a valid initial value of a semaphore")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes one thread, now or when one next waits.
    package func wake() {
        sem_post(semaphore)
    }

    /// Blocks this thread until it is woken.
    package func wait() {
        // A result other than 0 means an interruption by a signal.
        while sem_wait(semaphore) != 0 {}
    }
}
