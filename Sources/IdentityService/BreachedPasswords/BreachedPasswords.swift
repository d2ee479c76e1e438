import Logging
import Metrics
import ServiceRuntime

/// Refuses new passwords that have leaked (I-02; NIST SP 800-63B-4 §3.1.1.2; OWASP ASVS 5, 6.2.12):
/// pairs of email and leaked password are what credential stuffing tries.
///
/// It fails open. A password that cannot be looked up is accepted, counted and logged: while a
/// service is away, people sign up all the same. Only new passwords are looked up, never those of a
/// sign-in.
///
/// A flow asks before it looks an address up, so that the time of an answer does not tell whether the
/// address has an account, and before it hashes.
struct BreachedPasswords: Sendable {
    /// The longest time that a new password waits, in all: a little more than the service's own
    /// timeout, which names the reason better.
    static let waitMax: Duration = .milliseconds(1_100)

    /// What became of a look-up: the label of the metric.
    private enum Outcome: String, CaseIterable {
        /// In at least as many leaks as the operator has set. Refused.
        case found
        /// In fewer leaks, or in none.
        case notFound = "not_found"
        /// No usable answer in time.
        case failed
        /// Not asked.
        case skipped
    }

    /// Whether a look-up stays on this machine, and so may be made while a password is typed.
    var isLocal: Bool { source.isLocal }

    private let source: any BreachedPasswordSource
    private let countMin: Int
    private let counters: [Outcome: Counter]
    private let throttle: LogThrottle
    private let time: any Time
    private let logger: Logger

    /// - Parameter countMin: From how many leaks on a password is refused; at least 1.
    init(
        in source: any BreachedPasswordSource, countMin: Int, time: any Time, logger: Logger,
        metrics: any MetricsFactory
    ) {
        self.source = source
        // Lines that pad an answer have 0.
        self.countMin = max(1, countMin)
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                let dimensions = [("outcome", outcome.rawValue)]
                return (
                    outcome,
                    Counter(
                        label: "password_breach_checks", dimensions: dimensions, factory: metrics)
                )
            })
        throttle = LogThrottle(time: time)
        self.time = time
        self.logger = logger
    }

    /// Refuses a password that has leaked.
    /// - Parameter field: The field of the request that has the password.
    /// - Throws: `auth/weak-password` with the rule `breached`; `CancellationError`.
    func refuse(ifLeaked password: Password, field: String = "password") async throws {
        guard try await contain(password) else { return }
        throw ServiceError.weakPassword([.breached], field: field)
    }

    /// Whether a password has leaked.
    /// - Throws: `CancellationError`.
    func contain(_ password: Password) async throws -> Bool {
        let result = await count(of: PasswordSHA1(password))
        // The caller has gone. What came back says nothing.
        try Task.checkCancellation()
        switch result {
        case .success(let count):
            let isFound = count >= countMin
            counters[isFound ? .found : .notFound]?.increment()
            return isFound
        case .failure(let failure):
            record(failure)
            return false
        }
    }

    /// The file that is looked up, to be opened again when it is replaced; nil without one.
    func followed(_ metrics: any MetricsFactory) -> FollowedFiles<FileStamp?>? {
        source.followed(logger, metrics)
    }

    private func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure> {
        await withTaskGroup(of: Result<Int, BreachFailure>.self) { [source, time] group in
            group.addTask { await source.count(of: password) }
            group.addTask {
                // Ends early when it is cancelled; the result counts for nothing then.
                try? await time.sleep(for: Self.waitMax)
                return .failure(.failed("timed-out"))
            }
            let first = await group.next()
            group.cancelAll()
            return first ?? .failure(.failed("timed-out"))
        }
    }

    private func record(_ failure: BreachFailure) {
        let reason: String
        switch failure {
        case .failed(let word):
            counters[.failed]?.increment()
            reason = word
        case .skipped(let word):
            counters[.skipped]?.increment()
            reason = word
        }
        guard throttle.allows() else { return }
        logger.warning(
            "identity.breached_passwords.unchecked",
            "new passwords are accepted although it is not known whether they have leaked",
            fields: [.detail: .text(reason)])
    }
}

/// Something that knows how many leaks had a password.
protocol BreachedPasswordSource: Sendable {
    /// Whether nothing of a look-up leaves this machine.
    var isLocal: Bool { get }

    /// How many leaks had a password. Returns at once when its task is cancelled.
    func count(of password: PasswordSHA1) async -> Result<Int, BreachFailure>

    /// The file that it reads, to be opened again when it is replaced; nil without one.
    func followed(
        _ logger: Logger, _ metrics: any MetricsFactory
    ) -> FollowedFiles<FileStamp?>?
}

extension BreachedPasswordSource {
    /// There is no file.
    func followed(
        _ logger: Logger, _ metrics: any MetricsFactory
    ) -> FollowedFiles<FileStamp?>? { nil }
}

/// Why it is not known whether a password has leaked. The words are our own, for the log.
enum BreachFailure: Error, Hashable, Sendable {
    /// There was no usable answer in time.
    case failed(String)
    /// Nothing was asked, or the caller has gone.
    case skipped(String)
}
