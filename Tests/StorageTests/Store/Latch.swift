@testable import Storage

/// Holds the writer's thread inside a transaction until the test releases it.
struct Latch: Sendable {
    private let held = WorkQueue<Void>(elementsMax: 1)
    private let opening = WorkQueue<Void>(elementsMax: 1)

    /// Blocks the calling thread until `open()`. Call it only on a thread of the store.
    func wait() throws {
        try held.offer(())
        _ = opening.take(upTo: 1)
    }

    /// Releases the held thread.
    func open() { opening.close() }

    /// Returns once a thread is held. It must not block Swift's own threads, since the store's
    /// callers need them.
    func arrival() async {
        while held.count == 0 { await Task.yield() }
    }
}
