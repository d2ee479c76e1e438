import Synchronization

/// A value that is replaced as a whole while other threads read it.
package final class Reloadable<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    /// Starts with `value`.
    package init(_ value: Value) {
        held = Mutex(value)
    }

    /// The current value.
    package var value: Value { held.withLock { $0 } }

    /// Replaces the current value.
    package func replace(_ value: Value) {
        held.withLock { $0 = value }
    }
}
