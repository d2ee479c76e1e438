package import Contracts
package import Logging
import Messages
import RPC
package import ServiceRuntime

/// A charge that a flow made and may take back.
struct LimitCharge: Sendable {
    fileprivate let id: String
    fileprivate let charges: [RateLimitV1.Charge]
    /// Which attempt it was under the strictest of its limits, from 1.
    var attempt: UInt32 = 1
}

/// Asks the limiter on a flow's behalf, and decides what happens when it does not answer.
/// One for all flows: that the limiter is gone is then told once.
package struct LimitGuard: Sendable {
    /// How long a flow waits to find out that the limiter is gone.
    private static let patience = Duration.milliseconds(250)

    private let limits: any LimitsAPI
    private let failures: [LimitedFlow: LimiterFailure]
    private let alarm: LimiterAlarm
    private let time: any Time
    private let logger: Logger

    /// A guard in front of the limiter, with what the operator wants without it.
    package init(
        limits: any LimitsAPI, failures: [LimitedFlow: LimiterFailure], time: any Time,
        logger: Logger
    ) {
        self.limits = limits
        self.failures = failures
        self.time = time
        self.logger = logger
        alarm = LimiterAlarm(logger: logger)
    }

    /// Charges `action`; a repeat of a call with the same idempotency key is not charged again.
    /// Only flows that answer a repeat alike may hand a key on: a sign-in must not, or all guesses
    /// under one key would be charged as one.
    /// - Parameter language: of the sentence that says how long to wait; empty takes the call's.
    /// - Throws: `auth/too-many-requests` with the time to wait; `rpc/unavailable` when the limiter
    ///   is gone and the setting says to refuse.
    func begin(
        _ action: LimitedAction, _ context: CallContext, language: String,
        chargedOnceFor key: String? = nil
    ) async throws -> LimitCharge {
        let charges = action.charges
        if charges.contains(where: { $0.limit == "unaddressed-by-application" }) {
            logger.warning(
                "a caller asserts no client address; its users share one limit",
                fields: [.application: .text(context.application)])
        }
        let answer: RateLimitV1.ConsumeResponse
        do {
            answer = try await limits.consume(
                RateLimitV1.ConsumeRequest(
                    charges: charges,
                    language: language.isEmpty ? context.metadata.language.rawValue : language),
                shortened(context, key))
        } catch let error as ServiceError where Self.isAbsence(error) {
            let failure = failures[action.flow] ?? action.flow.failure
            alarm.fellBack(action.flow, failure, error)
            guard failure == .pass else { throw ServiceError(.unavailable, fields: ["rate-limit"]) }
            return LimitCharge(id: "", charges: charges)
        }
        alarm.answered()
        guard let decision = answer.decision, !decision.limited else {
            throw Self.refusal(answer.decision)
        }
        return LimitCharge(
            id: answer.chargeId, charges: charges, attempt: decision.attempt)
    }

    /// What another one of the first charge would be answered now; nil where the limiter does not
    /// say.
    func next(after charge: LimitCharge, _ context: CallContext) async -> RateLimitV1.Decision? {
        guard !charge.id.isEmpty else { return nil }
        do {
            let asked = RateLimitV1.PeekRequest(charges: Array(charge.charges.prefix(1)))
            return try await limits.peek(asked, afterwards(context)).decision
        } catch {
            logger.warning("a limit was not told", fields: [.detail: .error(error)])
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
    func refund(_ charge: LimitCharge, _ context: CallContext) async {
        await tell(of: charge, context) { context in
            _ = try await limits.refund(
                RateLimitV1.RefundRequest(chargeId: charge.id, charges: charge.charges), context)
        }
    }

    /// What cannot be told is left standing: strict, and gone with its window.
    private func tell(
        of charge: LimitCharge, _ context: CallContext,
        _ telling: (CallContext) async throws -> Void
    ) async {
        // One that was not made, since the limiter was away, has no id.
        guard !charge.id.isEmpty else { return }
        do {
            try await telling(afterwards(context))
        } catch {
            logger.warning("a charge was not taken back", fields: [.detail: .error(error)])
        }
    }

    private static func isAbsence(_ error: ServiceError) -> Bool {
        error.code == .unavailable || error.code == .deadlineExceeded
    }

    /// With a time of its own: where the flow's is over, that is why something is taken back.
    private func afterwards(_ context: CallContext) -> CallContext {
        CallContext(deadline: time.uptime() + Self.patience, metadata: context.onward().metadata)
    }

    private func shortened(_ context: CallContext, _ idempotencyKey: String?) -> CallContext {
        let onward = context.onward(idempotencyKey: idempotencyKey)
        return CallContext(
            deadline: min(onward.deadline, time.uptime() + Self.patience),
            metadata: onward.metadata)
    }
}
