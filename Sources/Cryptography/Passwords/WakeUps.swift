import Glibc

/// A counting semaphore (POSIX), whose address must not change.
// Unchecked: any thread may call sem_post and sem_wait at any time.
final class WakeUps: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        let result = sem_init(semaphore, 0, 0)
        precondition(result == 0, "0 is a valid initial value of a semaphore")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes one thread, now or when one next waits.
    func wake() {
        sem_post(semaphore)
    }

    /// Blocks this thread until it is woken.
    func wait() {
        // A result other than 0 means an interruption by a signal.
        while sem_wait(semaphore) != 0 {}
    }
}
