import Glibc

/// Counted wake-ups: a POSIX semaphore, whose address must not move.
// Unchecked: sem_post and sem_wait are made for being called by any thread at any time.
final class WakeUps: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        let result = sem_init(semaphore, 0, 0)
        precondition(result == 0, "0 is a value that a semaphore can have")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes one thread, now or when it next waits.
    func wake() {
        sem_post(semaphore)
    }

    /// Blocks this thread until it is woken.
    func wait() {
        // Anything but 0 is an interruption by a signal.
        while sem_wait(semaphore) != 0 {}
    }
}
