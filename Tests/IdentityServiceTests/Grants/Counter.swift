import Synchronization

/// Counts from 0.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// Returns the current number and increments it.
    func take() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
