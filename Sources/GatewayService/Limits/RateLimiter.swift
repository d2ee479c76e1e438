package import Contracts
package import Logging
import Messages
import RPC
package import ServiceRuntime

/// A charge that a flow made and may take back.
struct LimitCharge: Sendable {
    fileprivate let id: String
    fileprivate let charges: [RateLimitV1.Charge]
    /// Whom a guess is about (`GuessesUnderWay`); nil for what is none.
    fileprivate var guessedAt: String?
    /// Which attempt it was under the strictest of its limits, from 1.
    var attempt: UInt32 = 1
}

/// Asks the limiter on a flow's behalf, and decides what happens when it does not answer.
/// One for all flows: that the limiter is gone is then told once.
package struct RateLimiter: Sendable {
    /// How long a flow waits to find out that the limiter is gone; and what a flow needs of its
    /// caller's time to be counted.
    private static let patience = Duration.milliseconds(250)

    private let limits: any LimitsAPI
    private let failures: [LimitedFlow: LimiterFailure]
    private let alarm: LimiterAlarm
    private let underWay = GuessesUnderWay()
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger

    /// A guard in front of the limiter, with what the operator wants without it. `randomness` names
    /// the charges.
    package init(
        limits: any LimitsAPI, failures: [LimitedFlow: LimiterFailure], time: any Time,
        randomness: any Randomness, logger: Logger
    ) {
        self.limits = limits
        self.failures = failures
        self.time = time
        self.randomness = randomness
        self.logger = logger
        alarm = LimiterAlarm(logger: logger)
    }

    /// Charges `action`; a repeat of a call with the same idempotency key is not charged again.
    /// Only flows that answer a repeat alike may hand a key on: a sign-in must not, or all guesses
    /// under one key would be charged as one.
    /// - Parameter language: of the sentence that says how long to wait; empty takes the call's.
    /// - Throws: `auth/too-many-requests` with the time to wait; `rpc/unavailable` when the limiter
    ///   is gone and the setting says to refuse; `rpc/deadline-exceeded`, not processed, when less
    ///   time is left than the limiter may take.
    func begin(
        _ action: LimitedAction, _ context: CallContext, language: String,
        chargedOnceFor key: String? = nil
    ) async throws -> LimitCharge {
        try requireTime(context)
        let guessedAt = action.guessedAt
        let areOthers = guessedAt.map { underWay.begin($0, at: time.uptime()) } ?? false
        let consumed: Consumed
        do {
            consumed = try await consume(action, context, language: language, key)
        } catch {
            end(guessedAt)
            throw error
        }
        switch consumed {
        case .charged(var charge):
            charge.guessedAt = guessedAt
            return charge
        case .limited(let decision):
            let areStill = end(guessedAt)
            guard areOthers || areStill, LimitedAction.isAboutGuessed(decision?.limit ?? "") else {
                throw Self.refusal(decision)
            }
            throw ServiceError(.tooManyRequests, retryAfter: GuessesUnderWay.wait)
        }
    }

    /// What the limiter said of a charge.
    private enum Consumed {
        case charged(LimitCharge)
        case limited(RateLimitV1.Decision?)
    }

    /// A guess is not under way any more.
    /// - Returns: whether others at the same subject are.
    @discardableResult
    private func end(_ guessedAt: String?) -> Bool {
        guessedAt.map { underWay.end($0, at: time.uptime()) } ?? false
    }

    /// The guess that was charged has failed: it stands.
    func failed(_ charge: LimitCharge) { end(charge.guessedAt) }

    private func consume(
        _ action: LimitedAction, _ context: CallContext, language: String, _ key: String?
    ) async throws -> Consumed {
        let charges = action.charges
        if charges.contains(where: { $0.limit == "unaddressed-by-application" }) {
            logger.warning(
                "limits.client_address.missing",
                "the application sends no client address; its users share one limit",
                fields: [.application: .text(context.application)])
        }
        let asked = LimitCharge(id: key == nil ? chargeName() : "", charges: charges)
        let answer: RateLimitV1.ConsumeResponse
        do {
            answer = try await limits.consume(
                RateLimitV1.ConsumeRequest(
                    charges: charges,
                    language: language.isEmpty ? context.metadata.language.rawValue : language,
                    chargeId: asked.id, namedBy: LimitedCaller(context).namedBy),
                asking(context, key))
        } catch let error as ServiceError where Self.isAbsence(error) {
            let failure = failures[action.flow] ?? action.flow.failure
            alarm.fellBack(action.flow, failure, error)
            guard failure == .pass else {
                withdraw(asked, after: error, context)
                throw ServiceError(.unavailable, fields: ["rate-limit"])
            }
            return .charged(LimitCharge(id: "", charges: charges))
        } catch let error as ServiceError where error.code == .cancelled {
            withdraw(asked, after: error, context)
            throw error
        }
        alarm.answered()
        guard let decision = answer.decision, !decision.limited else {
            return .limited(answer.decision)
        }
        return .charged(
            LimitCharge(id: answer.chargeId, charges: charges, attempt: decision.attempt))
    }

    /// Names a charge before it is asked for, as the limiter would. One under an idempotency key is named
    /// by that: its repeats rest on it too, and who gave back what was never counted would give back
    /// theirs. It stands, and the repeat is not charged again.
    private func chargeName() -> String { String(randomness.rowKey(), radix: 36) }

    /// Takes back a charge that no answer came to, and whose flow does not begin: the limiter may have
    /// made it in the moment in which its caller left, or our patience ended. Nobody waits for that,
    /// least of all where the limiter is away; it ends with `patience`. With its connection the limiter
    /// takes a charge back by itself.
    private func withdraw(
        _ charge: LimitCharge, after error: ServiceError, _ context: CallContext
    ) {
        guard !charge.id.isEmpty, !error.didNothing, error.code != .unavailable else { return }
        Task { await refund(charge, context) }
    }

    /// What another one of the first charge would be answered now; nil where the limiter does not
    /// say.
    func next(after charge: LimitCharge, _ context: CallContext) async -> RateLimitV1.Decision? {
        guard !charge.id.isEmpty else { return nil }
        do {
            let asked = RateLimitV1.PeekRequest(charges: Array(charge.charges.prefix(1)))
            return try await limits.peek(asked, afterwards(context)).decision
        } catch {
            logger.warning(
                "limits.peek.failed", "reading a limit failed", fields: [.detail: .error(error)])
            return nil
        }
    }

    private static func refusal(_ decision: RateLimitV1.Decision?) -> ServiceError {
        var error = ServiceError(
            .tooManyRequests,
            retryAfter: .milliseconds(Int64(clamping: decision?.retryAfterMs ?? 1_000)))
        if let sentence = decision?.sentence, !sentence.isEmpty { error.sentence = sentence }
        return error
    }

    /// The attempt was right: takes the charge back, and has the device remembered.
    /// - Parameter begunAnew: what else begins anew by it (`LimitedAction.begunAnew`).
    func succeed(
        _ charge: LimitCharge, _ context: CallContext, begunAnew: [RateLimitV1.Charge] = []
    ) async {
        await tell(of: charge, context) { context in
            _ = try await limits.succeed(
                RateLimitV1.SucceedRequest(
                    chargeId: charge.id, charges: charge.charges + begunAnew), context)
        }
    }

    /// The attempt was none: takes the charge back.
    /// - Parameter only: the limits whose part is taken back; empty for all.
    func refund(
        _ charge: LimitCharge, _ context: CallContext, only: [String] = []
    ) async {
        await tell(of: charge, context) { context in
            _ = try await limits.refund(
                RateLimitV1.RefundRequest(
                    chargeId: charge.id, charges: charge.charges, only: only), context)
        }
    }

    /// The account's owner is there, though no guess was counted: has the device known to the account
    /// from now on, and opens what strangers' failures in a row have shut.
    /// - Parameter forgettingOthers: whoever was in the account until now may be a stranger, whose
    ///   devices must not stay known.
    func remember(
        _ email: String, on device: String, forgettingOthers: Bool = false, _ context: CallContext
    ) async {
        // An account without an email has no password to guess.
        guard !email.isEmpty else { return }
        let request = RateLimitV1.SucceedRequest(
            charges: [LimitedAction.ofAccount(email, device)], forgetDevices: forgettingOthers)
        do {
            try await afterwards(context) { _ = try await limits.succeed(request, $0) }
        } catch {
            logger.warning(
                "limits.known_device.failed", "recording a known device failed",
                fields: [.detail: .error(error)])
        }
    }

    /// What cannot be told is left standing: strict, and gone with its window.
    private func tell(
        of charge: LimitCharge, _ context: CallContext,
        _ telling: @escaping @Sendable (CallContext) async throws -> Void
    ) async {
        defer { end(charge.guessedAt) }
        // One that was not made, since the limiter was away, has no id.
        guard !charge.id.isEmpty else { return }
        do {
            try await afterwards(context, telling)
        } catch {
            logger.warning(
                "limits.refund.failed", "refunding a charge failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Tells the limiter how a flow ended, also where its caller has left. The flow's own calls then end
    /// before they are sent; this one does not, or right passwords would count as failures, and a
    /// squatter's devices would stay known.
    private func afterwards(
        _ context: CallContext, _ telling: @escaping @Sendable (CallContext) async throws -> Void
    ) async throws {
        let context = afterwards(context)
        if Task.isCancelled {
            try await Task { try await telling(context) }.value
        } else {
            try await telling(context)
        }
    }

    private static func isAbsence(_ error: ServiceError) -> Bool {
        error.code == .unavailable || error.code == .deadlineExceeded
    }

    /// With a time of its own: where the flow's is over, that is why something is taken back.
    private func afterwards(_ context: CallContext) -> CallContext {
        CallContext(deadline: time.uptime() + Self.patience, metadata: context.onward().metadata)
    }

    /// Attack: with a deadline shorter than the limiter's fsync takes, a caller makes the limiter
    /// look gone, and what passes without it passes uncounted. Such a flow is not begun.
    private func requireTime(_ context: CallContext) throws(ServiceError) {
        guard time.uptime() + Self.patience <= context.deadline else {
            throw ServiceError(.deadlineExceeded, notProcessed: true)
        }
    }

    /// With a deadline that is ours, since no caller can shorten it: where it passes, the limiter
    /// has failed.
    private func asking(_ context: CallContext, _ idempotencyKey: String?) -> CallContext {
        CallContext(
            deadline: time.uptime() + Self.patience,
            metadata: context.onward(idempotencyKey: idempotencyKey).metadata)
    }
}
