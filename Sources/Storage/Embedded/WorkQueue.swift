import Glibc

/// A bounded queue, filled by any thread or task and consumed by threads that block on it.
///
/// `@unchecked Sendable`: all mutable state is guarded by `mutex`, which has a fixed address for
/// the life of the queue.
final class WorkQueue<Element: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let elementsMax: Int
    private var elements: [Element] = []
    private var isClosed = false
    /// A consumer is woken once this many elements wait: one, or more while it gathers.
    private var wakesAt = 1

    /// An open queue of at most `elementsMax` elements.
    init(elementsMax: Int) {
        self.elementsMax = elementsMax
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A step of the wall clock must not affect gathering.
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

    /// How many elements wait.
    var count: Int { locked { elements.count } }

    /// Appends an element; never blocks.
    func offer(_ element: Element) throws(QueueRefusal) {
        let refusal: QueueRefusal? = locked {
            if isClosed { return .closed }
            if elements.count >= elementsMax { return .full }
            elements.append(element)
            if elements.count >= wakesAt { pthread_cond_signal(condition) }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Takes up to `count` elements from the front, blocking until there is one. Where `gather` is
    /// more than one, waits at most `timeout` for that many.
    /// - Returns: an empty array only once the queue is closed and empty.
    func take(upTo count: Int, gather: Int = 1, timeout: Duration = .zero) -> [Element] {
        locked {
            while elements.isEmpty && !isClosed { pthread_cond_wait(condition, mutex) }
            if elements.count < gather && timeout > .zero { waitFor(gather, timeout) }
            if elements.count <= count {
                defer { elements = [] }
                return elements
            }
            defer { elements.removeFirst(count) }
            return Array(elements[..<count])
        }
    }

    /// Rejects new elements; waiting ones are still taken.
    func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(condition)
        }
    }

    private func waitFor(_ count: Int, _ timeout: Duration) {
        var until = timespec()
        clock_gettime(CLOCK_MONOTONIC, &until)
        let (seconds, attoseconds) = timeout.components
        let nanoseconds = until.tv_nsec + Int(attoseconds / 1_000_000_000)
        until.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        wakesAt = count
        defer { wakesAt = 1 }
        while elements.count < count && !isClosed {
            if pthread_cond_timedwait(condition, mutex, &until) == ETIMEDOUT { return }
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
