import Glibc
package import Metrics
package import ServiceRuntime

/// Hashes and checks passwords on its own threads, a bounded number at once (I-03).
///
/// A password hash is slow and uses much memory by design. Without a bound, a few hundred
/// concurrent sign-ins would take gigabytes and starve all other calls. Here each thread has the
/// memory of one hash of our own (an imported one may need more, `ForeignHash.Cost`), the queue is
/// bounded, and calls beyond it are rejected with the time after which to retry.
package final class PasswordHashPool: Sendable {
    let workers: HashWorkers
    private let parameters: Argon2Parameters
    private let randomness: any Randomness
    private let time: any Time
    /// A hash of no password, for checks of unknown email addresses.
    private let unknownAccount: PasswordHash
    /// The scheme of the hashes that this pool creates.
    package let ownScheme: PasswordScheme

    /// Starts the threads.
    /// - Throws: `CryptographyError`: `.system` when the system has no thread or memory to give,
    ///   `.invalidSetting` when a hash would cost more than `Argon2Parameters` allows.
    package init(
        settings: Settings, time: any Time, randomness: any Randomness,
        metrics: any MetricsFactory
    ) throws {
        guard settings.parameters.areAllowed else {
            throw CryptographyError.invalidSetting("the password hash parameters exceed the limits")
        }
        parameters = settings.parameters
        self.randomness = randomness
        self.time = time
        unknownAccount = PasswordHash(
            parameters: settings.parameters, salt: randomness.bytes(PasswordHash.saltBytes),
            hash: randomness.bytes(PasswordHash.hashBytes))
        ownScheme = try PasswordScheme(of: unknownAccount)
        workers = HashWorkers(settings: settings, time: time, metrics: metrics)
        do {
            try workers.start(settings)
        } catch {
            workers.close()
            throw error
        }
    }

    deinit { workers.close() }

    /// The scheme of the default settings, for operators who configure nothing.
    /// - Throws: `PasswordHashError`, never for the standard parameters.
    package func standardScheme() throws -> PasswordScheme {
        try PasswordScheme(
            of: PasswordHash(
                parameters: .standard, salt: unknownAccount.salt, hash: unknownAccount.hash))
    }

    /// Whether answers are delivered together while many jobs wait (`CompletionBatcher`). Initially
    /// false.
    ///
    /// The attack: an attacker fills the queue and measures the response times of failed sign-ins.
    /// Where hashes of other costs are checked too, the delay of a gathered answer depends on the
    /// cost of its hash, and so reveals which email addresses have an account.
    package var gathersAnswers: Bool {
        get { workers.gathersAnswers }
        set { workers.gathersAnswers = newValue }
    }

    /// The text to store for a new password.
    /// - Throws: `ServiceError(.resourceExhausted)` with `retryAfter` when the queue is full,
    ///   `.unavailable` after `close`, `.cancelled` when the task is cancelled in the queue: each
    ///   not processed; `CryptographyError` when libargon2 fails.
    package func hash(password: SecretBytes) async throws -> String {
        let salt = randomness.bytes(PasswordHash.saltBytes)
        return try await perform { [parameters] memory in
            let hash = try Argon2.hash(
                Argon2.Input(password: password, salt: salt), parameters: parameters,
                count: PasswordHash.hashBytes, in: memory)
            return PasswordHash(parameters: parameters, salt: salt, hash: hash).text
        }
    }

    /// The result of checking a password.
    package struct Verdict: Hashable, Sendable {
        /// Whether the password matches the hash.
        package let isRight: Bool
        /// How long the check waited for a thread.
        package let waited: Duration
    }

    /// Whether `stored` is the hash of `password`.
    /// - Throws: `PasswordHashError` when `stored` is no valid hash, and what `hash` throws.
    package func verify(password: SecretBytes, against stored: String) async throws -> Bool {
        try await check(password: password, against: StoredPassword(text: stored)).isRight
    }

    /// Whether `stored` is the hash of `password`. Supports this system's hashes and imported ones
    /// (I-03).
    /// - Parameter project: The project `stored.firebaseProject`, which a hash of Firebase's needs.
    /// - Throws: What `hash` throws, and `PasswordHashError` with `.projectMissing`.
    package func check(
        password: SecretBytes, against stored: StoredPassword, of project: FirebaseProject? = nil
    ) async throws -> Verdict {
        let (entered, time) = (time.uptime(), time)
        return try await perform { memory in
            let waited = time.uptime() - entered
            return Verdict(
                isRight: try stored.matches(password, of: project, in: memory), waited: waited)
        }
    }

    /// Does the same work as `verify` for an account that does not exist, so that the response time
    /// does not reveal which accounts exist (G-03).
    /// - Throws: What `hash` throws.
    @discardableResult
    package func verifyAgainstNothing(password: SecretBytes) async throws -> Verdict {
        let (entered, time) = (time.uptime(), time)
        return try await perform { [unknownAccount] memory in
            let waited = time.uptime() - entered
            _ = try unknownAccount.matches(password, in: memory)
            return Verdict(isRight: false, waited: waited)
        }
    }

    /// Whether a stored hash is weaker than this pool's own, or another system's.
    /// - Throws: `PasswordHashError`.
    package func needsUpgrade(_ stored: String) throws -> Bool {
        try StoredPassword(text: stored).needsUpgrade(to: parameters)
    }

    /// The algorithm and cost of a stored hash. Nil where they are the same as this pool's own.
    /// - Throws: `PasswordHashError`.
    package func scheme(
        of stored: StoredPassword
    ) throws(PasswordHashError) -> PasswordScheme? {
        try stored.scheme(besides: parameters)
    }

    /// The duration of a check of a scheme on one of the threads: the median of three.
    /// - Throws: What `hash` throws, and `PasswordHashError`.
    package func measure(_ scheme: PasswordScheme) async throws -> Duration {
        let time = time
        // A sample with the length of a typical password.
        let password = SecretBytes(copying: [UInt8](repeating: 120, count: 12))
        let project = try FirebaseProject(
            signerKey: SecretBytes(copying: [UInt8](repeating: 1, count: 64)), saltSeparator: [])
        return try await perform { memory in
            let times = try (0..<3).map { _ in
                let begun = time.uptime()
                _ = try scheme.sample.matches(password, of: project, in: memory)
                return time.uptime() - begun
            }
            return times.sorted()[1]
        }
    }

    /// Rejects all waiting and new calls, and returns once the running hashes have ended. Blocks
    /// for some tens of milliseconds. A second call does nothing.
    package func close() {
        workers.close()
    }

    /// Runs `work` on one of the threads. Does not run it when the task is cancelled in the queue,
    /// for example by the deadline of its call.
    /// - Throws: What `work` throws, and the errors of `hash` that are not processed.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (Argon2.Memory) throws -> Result
    ) async throws -> Result {
        let ticket = workers.ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                workers.enter(
                    HashWorkers.Job(
                        run: { memory in
                            let result = Swift.Result { try work(memory) }
                            return { continuation.resume(with: result) }
                        },
                        refuse: { continuation.resume(throwing: $0) }),
                    ticket: ticket)
                // A cancellation before the job was added has found nothing to remove.
                if Task.isCancelled { workers.leave(ticket: ticket) }
            }
        } onCancel: {
            workers.leave(ticket: ticket)
        }
    }

    /// The number of concurrent hashes, the number of waiting ones, and the cost of one hash.
    package struct Settings: Hashable, Sendable {
        /// Passwords that may wait for each thread: 64 × 23 ms are 1.5 s, about as long as a user
        /// waits for a sign-in before trying again.
        package static let waitingPerThread = 64
        /// How much lower than normal the priority of the threads is (nice(1): 0 … 19). With 10, a
        /// few callers whose calls fill all cores left a hash so little of them that sign-ins took
        /// seconds; with 5 they take twice as long as alone.
        package static let standardNiceness: Int32 = 5
        /// The estimated duration of a hash until one has been measured.
        static let hashTime: Duration = .milliseconds(25)

        /// The number of concurrent hashes. Each uses a core and the memory of `parameters`. At
        /// least 1.
        package let threads: Int
        /// Passwords that may wait while all threads are busy.
        package let waitingMax: Int
        /// How much lower than normal the priority of the threads is.
        package let niceness: Int32
        /// The cost of a new hash.
        package let parameters: Argon2Parameters

        /// The settings. Omitted ones have their defaults: a thread for each core.
        package init(
            threads: Int? = nil, waitingMax: Int? = nil, niceness: Int32 = standardNiceness,
            parameters: Argon2Parameters = .standard
        ) {
            let threads = max(1, threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            self.threads = threads
            self.waitingMax = max(0, waitingMax ?? threads * Self.waitingPerThread)
            self.niceness = niceness
            self.parameters = parameters
        }
    }
}
