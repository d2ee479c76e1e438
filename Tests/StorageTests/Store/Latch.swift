@testable import Storage

/// Holds threads of the store inside transactions until the test releases it.
struct Latch: Sendable {
    private let held = WorkQueue<Void>(elementsMax: 64)
    private let opening = WorkQueue<Void>(elementsMax: 1)

    /// Blocks the calling thread until `open()`. Call it only on a thread of the store.
    func wait() throws {
        try held.offer(())
        _ = opening.take(upTo: 1)
    }

    /// Releases the held threads.
    func open() { opening.close() }

    /// Returns once so many threads are held. It must not block Swift's own threads, since the
    /// store's callers need them.
    func arrival(of count: Int = 1) async {
        while held.count < count { await Task.yield() }
    }
}
