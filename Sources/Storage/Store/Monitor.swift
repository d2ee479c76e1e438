import Glibc

/// A lock with a condition, on which the store's threads wait for work.
///
/// `@unchecked Sendable`: the mutex and the condition have fixed addresses for its life.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A step of the wall clock must not affect a wait.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` alone. The functions below are called within it.
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Wakes one thread that waits.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all of them.
    func broadcast() { pthread_cond_broadcast(condition) }

    /// Waits for a signal, or for nothing.
    func wait() { pthread_cond_wait(condition, mutex) }

    /// The same, until a moment at most.
    /// - Returns: whether the moment has not come yet.
    func wait(until moment: timespec) -> Bool {
        var moment = moment
        return pthread_cond_timedwait(condition, mutex, &moment) != ETIMEDOUT
    }

    /// The moment after a time, on the clock of `wait(until:)`.
    static func moment(in time: Duration) -> timespec {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        let (seconds, attoseconds) = time.components
        let nanoseconds = moment.tv_nsec + Int(attoseconds / 1_000_000_000)
        moment.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        moment.tv_nsec = nanoseconds % 1_000_000_000
        return moment
    }
}
