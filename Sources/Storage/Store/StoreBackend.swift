/// What runs a store's flows and queries: an embedded engine in this process, or, in tests, one
/// that reorders their statements.
package protocol StoreBackend: Sendable {
    /// How many flows wait.
    var waitingWrites: Int { get }

    /// Queues a flow, or another task.
    /// - Throws: `QueueRefusal`.
    func write(_ job: WriterJob) throws(QueueRefusal)

    /// Queues a query.
    /// - Throws: `QueueRefusal`.
    func read(_ query: Queued<any SQLSession>) throws(QueueRefusal)

    /// Finishes the queued work and releases the database. Blocks its thread until that is done; a
    /// second call does nothing.
    func close()
}

/// A task that waits for a store's writer.
package enum WriterJob: Sendable {
    /// Run this flow.
    case flow(Flow)
    /// Truncate the log, between two groups.
    case truncateLog(CheckedContinuation<Void, any Error>)
    /// Do this work between two groups of commits; then start no commit for the given time.
    case hold(Duration, Queued<Void>)

    /// See `Flow.bulkBytes`.
    var bulkBytes: Int { if case .flow(let flow) = self { flow.bulkBytes } else { 0 } }
}

/// A flow: what it decides about, and its work in a transaction.
package struct Flow: Sendable {
    /// Its subjects, as far as they are known before it reads.
    package let about: [Subject]
    /// The bytes that it writes, if they are many; such flows wait behind all others.
    package let bulkBytes: Int
    /// What it does. It may be run more than once before it is answered.
    package let work: Queued<Transaction>

    /// Work about these subjects.
    package init(about: [Subject], bulkBytes: Int = 0, work: Queued<Transaction>) {
        self.about = about
        self.bulkBytes = bulkBytes
        self.work = work
    }
}

/// Why a queue refused an element.
package enum QueueRefusal: Error {
    /// It is at its bound.
    case full
    /// It has been closed.
    case closed
}

/// Work that a caller has queued for a thread of the store, with the caller's types erased.
package struct Queued<Source>: Sendable {
    /// Returns the work's value to the caller.
    package typealias Answer = @Sendable () -> Void

    /// Runs the work; the returned closure is called after the commit, or once the snapshot has
    /// ended.
    package let run: @Sendable (Source) throws -> Answer
    /// Fails the caller with an error instead.
    package let fail: @Sendable (any Error) -> Void

    /// Wraps `work` for the caller that waits on `continuation`.
    package init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ work: @escaping @Sendable (Source) throws -> Value
    ) {
        run = { source in
            let value = try work(source)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
