import Synchronization

/// A number that one event loop alone counts up and anybody may read.
///
/// With one writer no addition can be lost, so a plain load and store do; an atomic addition would
/// lock the cache line and cost ten times as much, several times a call.
struct LoopCounter: ~Copyable, Sendable {
    private let value = Atomic<Int64>(0)

    /// The number at this moment.
    var count: Int64 { value.load(ordering: .relaxed) }

    /// Adds; only on the loop whose counter it is.
    func add(_ amount: Int = 1) {
        value.store(value.load(ordering: .relaxed) &+ Int64(amount), ordering: .relaxed)
    }
}
