import Glibc
import Synchronization

/// Holds the writers of stores in a transaction until `release`.
final class HeldWriter: Sendable {
    private let held = Atomic(0)
    private let isReleased = Atomic(false)

    func hold() {
        held.add(1, ordering: .releasing)
        while !isReleased.load(ordering: .acquiring) { usleep(500) }
    }

    func untilHeld(_ count: Int) async {
        while held.load(ordering: .acquiring) < count { await Task.yield() }
    }

    func release() { isReleased.store(true, ordering: .releasing) }
}
