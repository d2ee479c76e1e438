/// The queue of password hashes and its admission check. Pure: no thread, no clock.
///
/// First in, first out. The waiting time is bounded: when `waitingMax` jobs wait, further ones are
/// rejected at once with the time after which to retry, which is better for callers than a place at
/// the end of a long queue.
struct HashQueue<Job: Sendable> {
    /// The result of adding a job.
    enum Entry: Equatable {
        /// The job waits, or starts at once.
        case admitted
        /// The queue is full. There should be capacity after this time.
        case full(retryAfter: Duration)
        /// The pool is shutting down.
        case closed
    }

    /// A job to run now, and how long it waited.
    struct StartedJob: Sendable {
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
    /// In order of arrival. Bounded and short, so that removing the first is cheap.
    private var waiting: [Waiting] = []
    private var running = 0
    /// Whether threads should end.
    private(set) var isClosed = false
    /// The duration of a hash: a moving average over about the last dozen.
    private var hashTime: Duration

    /// A queue for `threads` threads, in which `waitingMax` jobs may wait while all threads are
    /// busy. `hashTime` is the estimated duration of a hash until one has been measured.
    init(threads: Int, waitingMax: Int, hashTime: Duration) {
        self.threads = threads
        self.waitingMax = waitingMax
        self.hashTime = hashTime
    }

    /// The number of waiting jobs.
    var length: Int { waiting.count }

    /// Adds a job at `now` (uptime). `ticket` is its unique number.
    mutating func enter(_ job: Job, ticket: UInt64, now: Duration) -> Entry {
        guard !isClosed else { return .closed }
        guard waiting.count + running < threads + waitingMax else {
            return .full(retryAfter: hashTime * (waiting.count + running) / threads)
        }
        waiting.append(Waiting(ticket: ticket, job: job, since: now))
        return .admitted
    }

    /// Removes the job that has waited longest, for a free thread.
    mutating func next(now: Duration) -> StartedJob? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        running += 1
        return StartedJob(job: first.job, waited: max(.zero, now - first.since))
    }

    /// Records that a job returned by `next` has ended after this time.
    mutating func finish(took duration: Duration) {
        running -= 1
        hashTime += (duration - hashTime) / 16
    }

    /// Removes the job of a caller that cancelled. Nil when it has been started already.
    mutating func leave(ticket: UInt64) -> Job? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return waiting.remove(at: index).job
    }

    /// Closes the queue: no job is admitted from now on. Returns the waiting jobs, and whether the
    /// queue was open, which shows the caller whether it is the first to close it.
    mutating func close() -> (jobs: [Job], wasOpen: Bool) {
        defer {
            isClosed = true
            waiting.removeAll()
        }
        return (waiting.map(\.job), !isClosed)
    }
}
