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

    /// Whose it is, for the turns of the bulk line: the first account that a flow is about; without
    /// one its first subject.
    var owner: Subject? {
        guard case .flow(let flow) = self else { return nil }
        let account = flow.about.first { if case .account = $0 { true } else { false } }
        return account ?? flow.about.first
    }

    /// See `Queued.isGone`.
    var isGone: Bool {
        switch self {
        case .flow(let flow): flow.work.isGone
        case .hold(_, let work): work.isGone
        case .truncateLog: false
        }
    }
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
    /// Too many elements of this owner wait, while others still have a place.
    case ownerFull
    /// It has been closed.
    case closed
}
