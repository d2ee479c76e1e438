import Metrics
import ServiceRuntime
import Synchronization

/// The pool's threads and their queue. The threads hold a reference to this object and not to the
/// pool, so that an unreferenced pool is deallocated.
final class HashWorkers: Sendable {
    /// One hash. A thread runs it, or `refuse` reports an error to its caller.
    struct Job: Sendable {
        /// - Returns: A closure that delivers the result.
        let run: @Sendable (Argon2.Memory) -> Answer
        let refuse: @Sendable (any Error) -> Void
    }

    typealias Answer = @Sendable () -> Void

    private struct State {
        var queue: HashQueue<Job>
        var handover = CompletionBatcher<Answer>()
        var gathersAnswers = false
    }

    private let state: Mutex<State>
    private let threads = Mutex<[OSThread]>([])
    private let wakeUps = Semaphore()
    private let tickets = Atomic<UInt64>(0)
    private let metrics: Metrics
    private let time: any Time

    init(settings: PasswordHashPool.Settings, time: any Time, metrics: any MetricsFactory) {
        state = Mutex(
            State(
                queue: HashQueue(
                    threads: settings.threads, waitingMax: settings.waitingMax,
                    hashTime: PasswordHashPool.Settings.hashTime)))
        self.metrics = Metrics(threads: settings.threads, factory: metrics)
        self.time = time
    }

    /// Starts the threads, each with its own memory, at a lower priority: hashes use all the
    /// processor time they can get, and other calls should not be slowed down by them.
    /// - Throws: `CryptographyError.system`.
    func start(_ settings: PasswordHashPool.Settings) throws {
        for _ in 1...settings.threads {
            // Passed to one thread, which alone uses it from then on.
            nonisolated(unsafe) let memory = try Argon2.Memory(
                byteCount: settings.parameters.memoryKiB * 1_024)
            do throws(OSThread.NotStarted) {
                let thread = try OSThread(niceness: settings.niceness) { self.work(in: memory) }
                threads.withLock { $0.append(thread) }
            } catch {
                throw CryptographyError.system("thread for password hashes", error.code)
            }
        }
    }

    /// Whether several answers may be delivered together (`CompletionBatcher`).
    var gathersAnswers: Bool {
        get { state.withLock { $0.gathersAnswers } }
        set { state.withLock { $0.gathersAnswers = newValue } }
    }

    /// A unique number of a job, by which it can be removed from the queue.
    func ticket() -> UInt64 {
        tickets.add(1, ordering: .relaxed).newValue
    }

    /// Adds a job to the queue, or rejects it.
    func enter(_ job: Job, ticket: UInt64) {
        let now = time.uptime()
        let (entry, length) = changed { queue in
            (queue.enter(job, ticket: ticket, now: now), queue.length)
        }
        switch entry {
        case .admitted: wakeUps.wake()
        case .full(let retryAfter):
            metrics.refused.increment()
            job.refuse(
                ServiceError(
                    .resourceExhausted, retryAfter: retryAfter,
                    detail: "\(length) passwords wait to be hashed", notProcessed: true))
        case .closed:
            job.refuse(Self.shuttingDown)
        }
    }

    /// Removes a job from the queue, if it is still waiting. Its caller has gone, and no password was
    /// compared.
    func leave(ticket: UInt64) {
        guard let job = changed({ $0.leave(ticket: ticket) }) else { return }
        metrics.dropped.increment()
        job.refuse(
            ServiceError(
                .cancelled, detail: "the caller went before the password was hashed",
                notProcessed: true))
    }

    /// Rejects the waiting jobs, and returns when all threads have ended.
    func close() {
        let (jobs, wasOpen) = changed { $0.close() }
        guard wasOpen else { return }
        for job in jobs { job.refuse(Self.shuttingDown) }
        let ending = threads.withLock { threads in
            defer { threads.removeAll() }
            return threads
        }
        for _ in ending { wakeUps.wake() }
        for thread in ending { thread.join() }
    }

    private static var shuttingDown: ServiceError {
        ServiceError(.unavailable, detail: "shutting down", notProcessed: true)
    }

    /// Changes the queue. Reports its length while holding the lock, so that the last reported
    /// value is the latest.
    private func changed<Result: Sendable>(
        _ change: (inout HashQueue<Job>) -> Result
    ) -> Result {
        state.withLock { state in
            defer { metrics.queueLength.record(state.queue.length) }
            return change(&state.queue)
        }
    }

    /// The loop of one thread. After a wake-up without a job (the job was removed from the queue,
    /// or the pool closes), perhaps no other hash will end, so the gathered answers are delivered
    /// here.
    private func work(in memory: Argon2.Memory) {
        while true {
            wakeUps.wait()
            let begun = time.uptime()
            let (started, isClosed) = changed { ($0.next(now: begun), $0.isClosed) }
            if let started {
                metrics.wait.record(duration: started.waited)
                finish(started.job.run(memory), begun: begun)
            } else {
                Self.handOn(state.withLock { $0.handover.takeAll() })
                if isClosed { return }
            }
        }
    }

    private func finish(_ answer: @escaping Answer, begun: Duration) {
        let now = time.uptime()
        metrics.duration.record(duration: now - begun)
        let answers = state.withLock { state in
            state.queue.finish(took: now - begun)
            return state.handover.add(
                answer, waiting: state.gathersAnswers ? state.queue.length : 0, now: now)
        }
        Self.handOn(answers)
    }

    /// Several answers are delivered by a thread of normal priority. Otherwise the first answer
    /// would wake threads of higher priority, which would delay this thread before the second.
    private static func handOn(_ answers: [Answer]) {
        if answers.count > 1 {
            Task.detached {
                for answer in answers { answer() }
            }
        } else {
            answers.first?()
        }
    }

    /// The pool's metrics.
    struct Metrics: Sendable {
        let queueLength: Gauge
        let wait: Timer
        let duration: Timer
        let refused: Counter
        let dropped: Counter

        init(threads: Int, factory: any MetricsFactory) {
            queueLength = Gauge(label: "password_hash_queue_length", factory: factory)
            wait = Timer(label: "password_hash_wait", factory: factory)
            duration = Timer(label: "password_hash_duration", factory: factory)
            refused = Counter(label: "password_hash_refused", factory: factory)
            dropped = Counter(label: "password_hash_dropped", factory: factory)
            Gauge(label: "password_hash_threads", factory: factory).record(threads)
            queueLength.record(0)
        }
    }
}
