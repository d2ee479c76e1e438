import Synchronization

/// A counter that only one event loop increments and any thread may read.
///
/// With a single writer no addition can be lost, so a plain load and store suffice. An atomic
/// addition would lock the cache line and cost ten times as much, several times per call.
struct LoopCounter: ~Copyable, Sendable {
    private let value = Atomic<Int64>(0)

    /// The current value.
    var count: Int64 { value.load(ordering: .relaxed) }

    /// Adds `amount`; call it only on the counter's loop.
    func add(_ amount: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ Int64(amount), ordering: .relaxed)
    }
}
