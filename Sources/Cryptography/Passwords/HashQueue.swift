/// Who waits for a hash, and whether another may (pure: no thread, no clock).
///
/// First come, first served. What is bounded is the wait: beyond `waitingMax` a caller is told at
/// once when to come back, which serves it better than a place at the end of a long queue.
struct HashQueue<Job: Sendable> {
    /// What becomes of a job at the door.
    enum Entry: Equatable {
        /// It waits, or begins at once.
        case admitted
        /// The queue is full; there should be room after this time.
        case full(retryAfter: Duration)
        /// The pool is shutting down.
        case closed
    }

    /// A job whose turn has come, and how long it waited.
    struct Turn: Sendable {
        let job: Job
        let waited: Duration
    }

    private struct Waiting {
        let ticket: UInt64
        let job: Job
        let since: Duration
    }

    private let threads: Int
    private let waitingMax: Int
    /// In order of arrival; bounded and short, so that moving all up by one costs nothing.
    private var waiting: [Waiting] = []
    private var running = 0
    private var isClosed = false
    /// How long a hash takes: a mean that follows the last dozen or so.
    private var hashTime: Duration

    /// A queue before `threads` threads, in which `waitingMax` jobs may wait while all are busy.
    /// `hashTime` is what a hash is thought to take until one has been measured.
    init(threads: Int, waitingMax: Int, hashTime: Duration) {
        self.threads = threads
        self.waitingMax = waitingMax
        self.hashTime = hashTime
    }

    /// Jobs that wait.
    var length: Int { waiting.count }

    /// A job comes, at `now` (uptime), with a ticket of its own.
    mutating func enter(_ job: Job, ticket: UInt64, now: Duration) -> Entry {
        guard !isClosed else { return .closed }
        guard waiting.count + running < threads + waitingMax else {
            return .full(retryAfter: hashTime * (waiting.count + running) / threads)
        }
        waiting.append(Waiting(ticket: ticket, job: job, since: now))
        return .admitted
    }

    /// A thread is free: the job that has waited longest.
    mutating func next(now: Duration) -> Turn? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        running += 1
        return Turn(job: first.job, waited: max(.zero, now - first.since))
    }

    /// A job that `next` gave has been done and took this long.
    mutating func finish(took duration: Duration) {
        running -= 1
        hashTime += (duration - hashTime) / 16
    }

    /// A caller has gone: its job, unless its turn has come already.
    mutating func leave(ticket: UInt64) -> Job? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).job
    }

    /// Admits nobody from now on; gives back those who wait. Whether it was open tells the caller
    /// if it is the first to close.
    mutating func close() -> (jobs: [Job], wasOpen: Bool) {
        defer {
            isClosed = true
            waiting.removeAll()
        }
        return (waiting.map(\.job), !isClosed)
    }

    /// Whether threads should go home.
    var isOver: Bool { isClosed }
}
