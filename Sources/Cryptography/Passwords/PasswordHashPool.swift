package import Metrics
package import ServiceRuntime

/// Hashes and checks passwords on threads of its own, a bounded number at once (I-03).
///
/// A hash is made to be slow and large. Unbounded, a few hundred sign-ins at once would take
/// gigabytes and starve all other calls; here memory is fixed, the wait is bounded, and who comes
/// beyond it is told when to come back.
package final class PasswordHashPool: Sendable {
    let workers: HashWorkers
    private let parameters: Argon2Parameters
    private let randomness: any Randomness
    private let time: any Time
    /// A hash of nobody's password, for addresses that nobody has.
    private let nobody: PasswordHash
    /// What its own hashes are made by.
    package let ownScheme: PasswordScheme

    /// Starts the threads.
    /// - Throws: `CryptographyError`: `.system` when the system has no thread or memory to give,
    ///   `.invalidSetting` when a hash would cost more than `Argon2Parameters` allows.
    package init(
        settings: Settings, time: any Time, randomness: any Randomness,
        metrics: any MetricsFactory
    ) throws {
        guard settings.parameters.areAllowed else {
            throw CryptographyError.invalidSetting("a password hash may not cost this")
        }
        parameters = settings.parameters
        self.randomness = randomness
        self.time = time
        nobody = PasswordHash(
            parameters: settings.parameters, salt: randomness.bytes(PasswordHash.saltBytes),
            hash: randomness.bytes(PasswordHash.hashBytes))
        ownScheme = try PasswordScheme(of: nobody)
        workers = HashWorkers(settings: settings, time: time, metrics: metrics)
        do {
            try workers.start(settings)
        } catch {
            workers.close()
            throw error
        }
    }

    deinit { workers.close() }

    /// What hashes are made by where the operator says nothing.
    package func standardScheme() throws -> PasswordScheme {
        try PasswordScheme(
            of: PasswordHash(parameters: .standard, salt: nobody.salt, hash: nobody.hash))
    }

    /// Whether answers are handed on together while many wait (`CompletionBatcher`); not at first.
    ///
    /// Attack: somebody fills the queue and takes the time of sign-ins that fail. Where hashes of other
    /// costs are checked too, an answer that waits for others leaves after a time by which the costs can
    /// be told apart, and with them who has an account.
    package var gathersAnswers: Bool {
        get { workers.gathersAnswers }
        set { workers.gathersAnswers = newValue }
    }

    /// The text to store for a new password.
    /// - Throws: `ServiceError(.resourceExhausted)` with `retryAfter` when too many wait,
    ///   `.unavailable` after `close`, `CancellationError` when the task is cancelled in the queue.
    package func hash(password: SecretBytes) async throws -> String {
        let salt = randomness.bytes(PasswordHash.saltBytes)
        return try await perform { [parameters] memory in
            let hash = try Argon2.hash(
                password, salt: salt, parameters: parameters, count: PasswordHash.hashBytes,
                in: memory)
            return PasswordHash(parameters: parameters, salt: salt, hash: hash).text
        }
    }

    /// What a check of a password found.
    package struct Verdict: Hashable, Sendable {
        /// Whether the password is the one that was hashed.
        package let isRight: Bool
        /// How long it waited for a thread.
        package let waited: Duration
    }

    /// Whether `stored` is the hash of `password`.
    /// - Throws: `PasswordHashError` when it is no hash, and what `hash` throws.
    package func verify(password: SecretBytes, against stored: String) async throws -> Bool {
        try await check(password: password, against: StoredPassword(text: stored)).isRight
    }

    /// Whether `stored` is the hash of `password`, ours or another system's (I-03).
    /// - Parameter project: what a hash of Firebase's needs: of `stored.firebaseProject`.
    /// - Throws: What `hash` throws; `PasswordHashError` of `.projectMissing`.
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

    /// Does what `verify` does, for an account that does not exist, so that the time of an answer
    /// does not tell who has one (G-03).
    /// - Throws: What `hash` throws.
    @discardableResult
    package func verifyAgainstNothing(password: SecretBytes) async throws -> Verdict {
        let (entered, time) = (time.uptime(), time)
        return try await perform { [nobody] memory in
            let waited = time.uptime() - entered
            _ = try nobody.matches(password, in: memory)
            return Verdict(isRight: false, waited: waited)
        }
    }

    /// Whether a stored hash is weaker than what this pool makes, or another system's.
    /// - Throws: `PasswordHashError`.
    package func needsUpgrade(_ stored: String) throws -> Bool {
        try StoredPassword(text: stored).needsUpgrade(to: parameters)
    }

    /// Algorithm and cost of a stored hash; nil where it takes what this pool's own take.
    /// - Throws: `PasswordHashError`.
    package func scheme(
        of stored: StoredPassword
    ) throws(PasswordHashError) -> PasswordScheme? {
        try stored.scheme(besides: parameters)
    }

    /// How long a check of a scheme takes on one of the threads: the middle of three.
    /// - Throws: What `hash` throws.
    package func measure(_ scheme: PasswordScheme) async throws -> Duration {
        let time = time
        // Of the length of a password; of whom does not matter.
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

    /// Refuses those who wait and all who come, and returns once the hashes in work are done: some
    /// tens of milliseconds, during which it blocks. A second call does nothing.
    package func close() {
        workers.close()
    }

    /// Runs `work` on one of the threads. Cancelled in the queue, it is not run.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable (Argon2Memory) throws -> Result
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
                // A cancellation that came before the job had entered has found nothing to take.
                if Task.isCancelled { workers.leave(ticket: ticket) }
            }
        } onCancel: {
            workers.leave(ticket: ticket)
        }
    }
}
