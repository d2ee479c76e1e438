@testable import Storage

/// Holds the writer's thread inside a flow until the test lets it go.
struct Gate: Sendable {
    private let held = WorkQueue<Void>(elementsMax: 1)
    private let opening = WorkQueue<Void>(elementsMax: 1)

    /// Called on the thread to be held; one of the store's own, since it blocks.
    func pass() throws {
        try held.offer(())
        _ = opening.take(upTo: 1)
    }

    /// Lets the held thread go.
    func open() { opening.close() }

    /// Returns once a thread is held. Swift's own threads must not block: the store's callers
    /// need them.
    func arrival() async {
        while held.count == 0 { await Task.yield() }
    }
}
