import Metrics
import ServiceRuntime
import Synchronization

/// The threads of the pool and the queue before them. Threads hold this, and not the pool, so that
/// a pool that nobody holds any more ends.
final class HashWorkers: Sendable {
    /// One hash: what a thread does for a caller, or tells it when there is no hash.
    struct Job: Sendable {
        /// - Returns: hands the result on.
        let run: @Sendable (Argon2Memory) -> Answer
        let refuse: @Sendable (any Error) -> Void
    }

    typealias Answer = @Sendable () -> Void

    private struct State {
        var queue: HashQueue<Job>
        var handover = CompletionBatcher<Answer>()
        var gathersAnswers = false
    }

    private let state: Mutex<State>
    private let threads = Mutex<[HashThread]>([])
    private let wakeUps = WakeUps()
    private let tickets = Atomic<UInt64>(0)
    private let metrics: HashMetrics
    private let time: any Time

    init(settings: PasswordHashPool.Settings, time: any Time, metrics: any MetricsFactory) {
        state = Mutex(
            State(
                queue: HashQueue(
                    threads: settings.threads, waitingMax: settings.waitingMax,
                    hashTime: PasswordHashPool.Settings.hashTime)))
        self.metrics = HashMetrics(threads: settings.threads, factory: metrics)
        self.time = time
    }

    /// Starts the threads, each with memory of its own.
    func start(_ settings: PasswordHashPool.Settings) throws {
        for _ in 1...settings.threads {
            // Handed to one thread, which alone uses it from then on.
            nonisolated(unsafe) let memory = try Argon2Memory(
                byteCount: settings.parameters.memoryKiB * 1_024)
            let thread = try HashThread(niceness: settings.niceness) {
                self.work(in: memory)
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Whether answers may be handed on together (`CompletionBatcher`).
    var gathersAnswers: Bool {
        get { state.withLock { $0.gathersAnswers } }
        set { state.withLock { $0.gathersAnswers = newValue } }
    }

    /// A name for a job by which it can leave the queue.
    func ticket() -> UInt64 {
        tickets.add(1, ordering: .relaxed).newValue
    }

    /// Puts a job into the queue, or refuses it.
    func enter(_ job: Job, ticket: UInt64) {
        let now = time.uptime()
        let (entry, length) = changed { queue in
            (queue.enter(job, ticket: ticket, now: now), queue.length)
        }
        switch entry {
        case .admitted: wakeUps.wake()
        case .full(let retryAfter):
            metrics.refusedOne()
            job.refuse(
                ServiceError(
                    .resourceExhausted, retryAfter: retryAfter,
                    detail: "\(length) passwords wait to be hashed", notProcessed: true))
        case .closed:
            job.refuse(Self.shuttingDown)
        }
    }

    /// Takes a job out of the queue, if it still waits there.
    func leave(ticket: UInt64) {
        let job = changed { $0.leave(ticket: ticket) }
        job?.refuse(CancellationError())
    }

    /// Refuses those who wait and returns when all threads have ended.
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

    /// Changes the queue. Its length is told under the lock, so that the last word is the latest.
    private func changed<Result: Sendable>(
        _ change: (inout HashQueue<Job>) -> Result
    ) -> Result {
        state.withLock { state in
            defer { metrics.lengthened(to: state.queue.length) }
            return change(&state.queue)
        }
    }

    /// A thread's life. A wake-up without a job is of one that has left the queue, or the last; then
    /// nobody else may come by to hand on what is gathered.
    private func work(in memory: Argon2Memory) {
        while true {
            wakeUps.wait()
            let begun = time.uptime()
            let (turn, isOver) = changed { ($0.next(now: begun), $0.isOver) }
            if let turn {
                metrics.waited(turn.waited)
                finish(turn.job.run(memory), begun: begun)
            } else {
                Self.handOn(state.withLock { $0.handover.takeAll() })
                if isOver { return }
            }
        }
    }

    private func finish(_ answer: @escaping Answer, begun: Duration) {
        let now = time.uptime()
        metrics.hashed(in: now - begun)
        let answers = state.withLock { state in
            state.queue.finish(took: now - begun)
            return state.handover.add(
                answer, waiting: state.gathersAnswers ? state.queue.length : 0, now: now)
        }
        Self.handOn(answers)
    }

    /// Several are handed on by a thread of normal priority: the first of them wakes up threads that
    /// would take the processor from this one before it comes to the second.
    private static func handOn(_ answers: [Answer]) {
        if answers.count > 1 {
            Task.detached {
                for answer in answers { answer() }
            }
        } else {
            answers.first?()
        }
    }
}
