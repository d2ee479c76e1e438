import Glibc
import Metrics
import MetricsTestKit
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Cryptography

@Suite("The pool of password hashes")
struct PasswordHashPoolTests {
    private let metrics = TestMetrics()

    private func pool(
        threads: Int = 2, waiting: Int = 200, parameters: Argon2Parameters = .cheap
    ) throws -> PasswordHashPool {
        try PasswordHashPool(
            settings: PasswordHashPool.Settings(
                threads: threads, waitingMax: waiting, parameters: parameters),
            time: SystemTime(), randomness: SecureRandomness(), metrics: metrics)
    }

    @Test("I-03: a password verifies against its hash, and other passwords do not")
    func verify() async throws {
        let pool = try pool(parameters: .standard)
        let stored = try await pool.hash(password: secret(text: "Correct7Horse"))
        #expect(stored.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await pool.verify(password: secret(text: "Correct7Horse"), against: stored))
        #expect(try await !pool.verify(password: secret(text: "correct7Horse"), against: stored))
        #expect(try await !pool.verify(password: secret(text: ""), against: stored))
        let again = try await pool.hash(password: secret(text: "Correct7Horse"))
        #expect(again != stored, "each hash has a salt of its own")
        #expect(try !pool.needsUpgrade(stored))
        try await pool.verifyAgainstNothing(password: secret(text: "Correct7Horse"))
    }

    @Test("a stored text that is not a hash is an error, not a wrong password")
    func broken() async throws {
        let pool = try pool()
        await #expect(throws: PasswordHashError.self) {
            try await pool.verify(password: secret(text: "a"), against: "$2b$10$abc")
        }
        #expect(throws: PasswordHashError.self) { try pool.needsUpgrade("") }
    }

    @Test("at most as many jobs run as there are threads, and all waiting ones are served")
    func concurrency() async throws {
        let pool = try pool(threads: 3)
        let visits = Visits()
        let served = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<150 {
                group.addTask {
                    try await pool.perform { _ in
                        visits.begin()
                        for _ in 0..<20 { sched_yield() }
                        visits.end()
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(served == 150)
        #expect(visits.mostAtOnce <= 3)
    }

    @Test("above the limit a caller fails at once with a retry delay")
    func refusal() async throws {
        let pool = try pool(threads: 1, waiting: 2)
        let latch = Latch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.perform { _ in latch.wait() } }
            await latch.arrival()
            for _ in 0..<2 {
                group.addTask { try await pool.perform { _ in } }
            }
            try await queueLength(2)
            let error = await #expect(throws: ServiceError.self) {
                try await pool.verifyAgainstNothing(password: secret(text: "a"))
            }
            #expect(error?.code == .resourceExhausted)
            #expect(error?.notProcessed == true)
            #expect((error?.retryAfter ?? .zero) >= .milliseconds(50))
            latch.open()
            try await group.waitForAll()
        }
        #expect(try metrics.expectCounter("password_hash_refused").totalValue == 1)
        #expect(try metrics.expectTimer("password_hash_wait").values.count == 3)
        #expect(try metrics.expectGauge("password_hash_threads").lastValue == 1)
    }

    @Test("a job cancelled in the queue leaves it and is not computed")
    func cancellation() async throws {
        let pool = try pool(threads: 1, waiting: 8)
        let latch = Latch()
        let visits = Visits()
        let first = Task { try await pool.perform { _ in latch.wait() } }
        await latch.arrival()
        let waiting = Task { try await pool.perform { _ in visits.begin() } }
        try await queueLength(1)
        waiting.cancel()
        // Not processed: no password was compared.
        let error = await #expect(throws: ServiceError.self) { try await waiting.value }
        #expect(error?.code == .cancelled && error?.notProcessed == true)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.perform { _ in visits.begin() }
        }
        await #expect(throws: ServiceError.self) { try await late.value }
        latch.open()
        try await first.value
        try await pool.perform { _ in }
        #expect(visits.mostAtOnce == 0)
        #expect(try metrics.expectCounter("password_hash_dropped").totalValue == 2)
    }

    @Test("X-06: behind 50 passwords whose callers have gone, the next one is hashed at once")
    func goneCallers() async throws {
        let pool = try pool(threads: 1, waiting: 51)
        let (latch, visits) = (Latch(), Visits())
        let first = Task { try await pool.perform { _ in latch.wait() } }
        await latch.arrival()
        let gone = (0..<50).map { _ in Task { try await pool.perform { _ in visits.begin() } } }
        try await queueLength(50)
        let live = Task { try await pool.check(password: secret(text: "a"), against: try unknown) }
        try await queueLength(51)
        for task in gone { task.cancel() }
        try await queueLength(1)
        latch.open()
        #expect(try await !live.value.isRight)
        try await first.value
        for task in gone {
            await #expect(throws: ServiceError.self) { try await task.value }
        }
        #expect(visits.mostAtOnce == 0)
        #expect(try metrics.expectCounter("password_hash_dropped").totalValue == 50)
        #expect(try metrics.expectCounter("password_hash_refused").totalValue == 0)
    }

    /// The hash of no password that a test knows.
    private var unknown: StoredPassword {
        get throws {
            try StoredPassword(
                text: PasswordHash(
                    parameters: .cheap, salt: [UInt8](repeating: 1, count: 16),
                    hash: [UInt8](repeating: 2, count: 32)
                ).text)
        }
    }

    @Test("a gathered result is delivered even if all other waiting callers leave")
    func leftAlone() async throws {
        let pool = try pool(threads: 1, waiting: 40)
        pool.gathersAnswers = true
        let latch = Latch()
        let first = Task { try await pool.perform { _ in latch.wait() } }
        await latch.arrival()
        let second = Latch()
        let next = Task { try await pool.perform { _ in second.wait() } }
        try await queueLength(1)
        let others = (0..<30).map { _ in Task { try await pool.perform { _ in } } }
        try await queueLength(31)
        // The first is done and held in the batch, the second is running; then all others cancel.
        latch.open()
        await second.arrival()
        for other in others { other.cancel() }
        for other in others {
            await #expect(throws: ServiceError.self) { try await other.value }
        }
        second.open()
        try await first.value
        try await next.value
    }

    @Test("closing finishes running jobs, rejects waiting ones and ends the threads")
    func closing() async throws {
        let pool = try pool(threads: 4, waiting: 8)
        let latches = (0..<4).map { _ in Latch() }
        let running = latches.map { latch in Task { try await pool.perform { _ in latch.wait() } } }
        for latch in latches { await latch.arrival() }
        let waiting = Task { try await pool.perform { _ in } }
        try await queueLength(1)
        let closing = try OSThread { pool.close() }
        let error = await #expect(throws: ServiceError.self) { try await waiting.value }
        #expect(error?.code == .unavailable)
        for latch in latches { latch.open() }
        for task in running { try await task.value }
        closing.join()
        pool.close()
        await #expect(throws: ServiceError.self) {
            try await pool.hash(password: secret(text: "a"))
        }
    }

    @Test("a pool that is released ends its threads")
    func forgotten() async throws {
        weak var workers: AnyObject?
        do {
            let pool = try pool(threads: 4)
            _ = try await pool.hash(password: secret(text: "a"))
            withExtendedLifetime(pool) {
                workers = pool.workers
                #expect(workers != nil)
            }
        }
        #expect(workers == nil)
    }

    @Test("hashes run at low priority and reuse their memory")
    func threads() async throws {
        let pool = try pool(threads: 1)
        let first = try await pool.perform { memory in
            (
                getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0),
                Int(bitPattern: memory.base)
            )
        }
        let second = try await pool.perform { Int(bitPattern: $0.base) }
        #expect(first.0 == PasswordHashPool.Settings.standardNiceness)
        #expect(first.1 == second)
    }

    @Test("a hash's cost cannot be set above the limit")
    func settings() {
        #expect(throws: CryptographyError.self) {
            try pool(parameters: Argon2Parameters(memoryKiB: 1 << 30, passes: 2, lanes: 1))
        }
        #expect(PasswordHashPool.Settings(threads: 0).threads == 1)
        #expect(PasswordHashPool.Settings(threads: 2).waitingMax == 128)
    }

    /// Returns once `length` jobs wait.
    private func queueLength(_ length: Int) async throws {
        let gauge = try metrics.expectGauge("password_hash_queue_length")
        let isReached = try await eventually { gauge.lastValue == Double(length) }
        #expect(isReached, "the queue never had \(length)")
    }
}

extension Argon2Parameters {
    /// Cheap parameters for tests that are not about the hash.
    fileprivate static let cheap = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
}

/// A latch that holds a thread of the pool until the test opens it. The test itself waits without
/// blocking a thread, since a small machine has only a few.
private final class Latch: Sendable {
    private let opened = Semaphore()
    private let visits: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation

    init() {
        (visits, arrived) = AsyncStream.makeStream()
    }

    /// Blocks the thread until `open`.
    func wait() {
        arrived.yield()
        opened.wait()
    }

    /// Returns once a thread waits.
    func arrival() async {
        for await _ in visits { return }
    }

    func open() { opened.wake() }
}

/// Counts the jobs that run now, and the most that ran at once.
private final class Visits: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var mostAtOnce: Int { counts.withLock { $0.most } }

    func begin() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func end() { counts.withLock { $0.now -= 1 } }
}
