import Synchronization

/// A value that is exchanged whole while others read it.
package final class Live<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    /// Begins with `value`.
    package init(_ value: Value) {
        held = Mutex(value)
    }

    /// The value in force.
    package var value: Value { held.withLock { $0 } }

    /// Puts `value` into force.
    package func replace(_ value: Value) {
        held.withLock { $0 = value }
    }
}
