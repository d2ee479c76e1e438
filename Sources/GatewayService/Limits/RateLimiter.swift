import Contracts
import Logging
import Messages
import RPC
import ServiceRuntime

/// A charge that a flow has made and may take back.
struct LimitCharge: Sendable {
    fileprivate let id: String
    fileprivate let charges: [RateLimitV1.Charge]
    /// The account or number that a guess is about (`GuessesUnderWay`); nil for other actions.
    fileprivate var guessedAt: String?
    /// The number of this attempt in the strictest of its limits, from 1.
    var attempt: UInt32 = 1
    /// The charge's id for the identity service, if the guess is settled later; else empty.
    var guess = ""

    /// Its id, for the service that may ask for a second proof; empty if it was not made.
    var name: String { id }

    /// Whether the rate limiter has made it. It has not where it does not answer and the flow passes.
    var isMade: Bool { !id.isEmpty }
}

/// Calls the rate limiter for a flow, and decides what happens when it does not answer. All
/// flows share one instance, so that an outage is reported once.
struct RateLimiter: Sendable {
    /// How long a flow waits for the rate limiter before it counts as unreachable. A flow is only
    /// started if the caller's deadline leaves this much time.
    private static let callTimeout = Duration.milliseconds(250)

    private let limits: any LimitsAPI
    private let failures: [LimitedFlow: LimiterFailure]
    private let alarm: LimiterAlarm
    private let underWay = GuessesUnderWay()
    private let locks: LockNotes
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger

    /// Creates the client side of the limits. `failures` are the operator's settings for an
    /// unreachable rate limiter. `signals` gets reports of locked accounts. `randomness` makes the
    /// ids of charges.
    init(
        limits: any LimitsAPI, failures: [LimitedFlow: LimiterFailure],
        signals: any SignInSignalsAPI, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        self.limits = limits
        self.failures = failures
        self.time = time
        self.randomness = randomness
        self.logger = logger
        alarm = LimiterAlarm(logger: logger)
        locks = LockNotes(signals: signals, time: time, randomness: randomness, logger: logger)
    }

    /// Charges `action`. A retry of a call with the same idempotency key is not charged again. Only
    /// flows that return the same response to a retry may pass a key. A sign-in must not: all
    /// guesses under one key would be charged as one.
    /// - Parameter accounts: compares the guess and gets `LimitCharge.guess`. If it does not answer,
    ///   the guess is settled later.
    /// - Throws: `auth/too-many-requests` with the wait; `rpc/unavailable` if the rate limiter does
    ///   not answer and the flow's setting is to refuse; `rpc/deadline-exceeded`, not processed, if
    ///   the caller's deadline leaves less time than the rate limiter may take; `rpc/cancelled`.
    func begin(
        _ action: LimitedAction, _ context: CallContext, chargedOnceFor key: String? = nil,
        settledBy accounts: (any AccountsAPI)? = nil
    ) async throws -> LimitCharge {
        try requireTime(context)
        let guessedAt = action.guessedAt
        let areOthers = guessedAt.map { underWay.begin($0, at: time.uptime()) } ?? false
        let consumed: Consumed
        do {
            consumed = try await settling(by: accounts, context) { settled in
                try await consume(action, context, key, settled)
            }
        } catch {
            end(guessedAt)
            throw error
        }
        switch consumed {
        case .charged(var charge):
            charge.guessedAt = guessedAt
            return charge
        case .limited(let decision, _):
            let areStill = end(guessedAt)
            if let decision, let owner = action.guessedOwner {
                locks.note(decision, of: owner, context)
            }
            let limit = decision.flatMap { LimitName(rawValue: $0.limit) }
            guard areOthers || areStill, limit?.definition.isAboutGuessed == true else {
                throw Self.refusal(decision)
            }
            throw ServiceError(.tooManyRequests, retryAfter: GuessesUnderWay.wait)
        }
    }

    /// The rate limiter's answer to a charge.
    private enum Consumed {
        case charged(LimitCharge)
        /// - Parameter unsettled: the charges of earlier guesses that may be refunded.
        case limited(RateLimitV1.Decision?, unsettled: [String])
    }

    /// Charges, and charges once more if earlier guesses could be settled in between: the rate
    /// limiter names them, and the identity service knows of which a wrong password was compared
    /// (R-03, `UnsettledGuesses`). The gateway that charged them may have been another one.
    private func settling(
        by accounts: (any AccountsAPI)?, _ context: CallContext,
        _ consume: (_ settled: [RateLimitV1.SettledGuess]?) async throws -> Consumed
    ) async throws -> Consumed {
        guard let accounts else { return try await consume(nil) }
        let first = try await consume([])
        guard case .limited(_, let unsettled) = first, !unsettled.isEmpty else { return first }
        let settled = await outcomes(of: unsettled, from: accounts, context)
        return settled.isEmpty ? first : try await consume(settled)
    }

    /// - Returns: the outcomes of guesses; none if the identity service does not answer.
    private func outcomes(
        of guesses: [String], from accounts: any AccountsAPI, _ context: CallContext
    ) async -> [RateLimitV1.SettledGuess] {
        // So short a wait says nothing about the identity service, like a caller's deadline.
        let brief = CallContext(
            deadline: time.uptime() + Self.callTimeout, isCallersDeadline: true,
            metadata: context.onward().metadata)
        do {
            let wrong = Set(
                try await accounts.settleGuesses(.init(chargeIds: guesses), brief).wrong)
            return guesses.map { .init(chargeId: $0, wrong: wrong.contains($0)) }
        } catch {
            logger.warning(
                "limits.guesses.unsettled", "asking for the outcome of guesses failed",
                fields: [.detail: .error(error)])
            return []
        }
    }

    /// A guess is no longer in progress.
    /// - Returns: whether others about the same subject are.
    @discardableResult
    private func end(_ guessedAt: String?) -> Bool {
        guessedAt.map { underWay.end($0, at: time.uptime()) } ?? false
    }

    /// The charged guess has failed: its charge stays.
    func failed(_ charge: LimitCharge) { end(charge.guessedAt) }

    /// - Parameter settled: outcomes of earlier guesses; nil if this charge is not a guess that is
    ///   settled later.
    private func consume(
        _ action: LimitedAction, _ context: CallContext, _ key: String?,
        _ settled: [RateLimitV1.SettledGuess]?
    ) async throws -> Consumed {
        let charges = action.charges
        if charges.contains(where: LimitName.unaddressedByApplication.isLimit) {
            logger.warning(
                "limits.client_address.missing",
                "the application sends no client address; its users share one limit",
                fields: [.application: .text(context.application)])
        }
        let requested = LimitCharge(id: key == nil ? chargeName() : "", charges: charges)
        let answer: RateLimitV1.ConsumeResponse
        do {
            answer = try await limits.consume(
                RateLimitV1.ConsumeRequest(
                    charges: charges,
                    language: context.metadata.voice.tag,
                    chargeId: requested.id, settlesGuesses: settled != nil,
                    settled: settled ?? [], namedBy: LimitedCaller(context).namedBy),
                limiterContext(context, key))
        } catch let error as ServiceError where Self.isAbsence(error) {
            let failure = failures[action.flow] ?? action.flow.failure
            alarm.fellBack(action.flow, failure, error)
            guard failure == .pass else {
                withdraw(requested, after: error, context)
                throw ServiceError(.unavailable, unavailablePart: "rate-limit")
            }
            return .charged(LimitCharge(id: "", charges: charges))
        } catch let error as ServiceError where error.code == .cancelled {
            withdraw(requested, after: error, context)
            throw error
        }
        alarm.answered()
        guard let decision = answer.decision, !decision.limited else {
            return .limited(answer.decision, unsettled: answer.unsettled)
        }
        return .charged(
            LimitCharge(
                id: answer.chargeId, charges: charges, attempt: decision.attempt,
                guess: answer.settledLater ? answer.chargeId : ""))
    }

    /// Gives a charge its id before the rate limiter is called, in the rate limiter's format. A
    /// charge under an idempotency key gets no id here. Its retries share it, so a refund of a call
    /// that may not have been counted would refund theirs. That charge stays, and a retry is not
    /// charged again.
    private func chargeName() -> String { String(randomness.rowKey(), radix: 36) }

    /// Refunds a charge whose call returned no answer and whose flow does not start. The rate
    /// limiter may have made the charge at the moment when its caller cancelled or our
    /// `callTimeout` ended. The flow does not wait for the refund, which itself ends after
    /// `callTimeout`. If the connection is lost, the rate limiter refunds the charge itself.
    private func withdraw(
        _ charge: LimitCharge, after error: ServiceError, _ context: CallContext
    ) {
        guard !charge.id.isEmpty, !error.didNothing, error.code != .unavailable else { return }
        Task { await refund(charge, context) }
    }

    /// The decision that one more call of the first charge would get now; nil if the rate limiter
    /// does not answer.
    func next(after charge: LimitCharge, _ context: CallContext) async -> RateLimitV1.Decision? {
        guard !charge.id.isEmpty else { return nil }
        do {
            let requested = RateLimitV1.PeekRequest(charges: Array(charge.charges.prefix(1)))
            return try await limits.peek(requested, afterwards(context)).decision
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

    /// The attempt was right: refunds the charge and records the device as known.
    /// - Parameters:
    ///   - signedIn: the account of a sign-in, which may count at its site (`EstablishedAccount`).
    ///   - restartedCharges: further limits that start over (`LimitedAction.restartedCharges`).
    func succeed(
        _ charge: LimitCharge, signedIn: GatewayV1.Account? = nil, _ context: CallContext,
        restartedCharges: [RateLimitV1.Charge] = []
    ) async {
        let request = RateLimitV1.SucceedRequest(
            chargeId: charge.id, charges: charge.charges + restartedCharges,
            established: signedIn?.establishedSignIn(at: time.now(), context))
        await report(of: charge, context) { context in
            _ = try await limits.succeed(request, context)
        }
    }

    /// The attempt does not count: refunds the charge.
    /// - Parameter only: the limits whose part is refunded; empty for all.
    func refund(
        _ charge: LimitCharge, _ context: CallContext, only: [LimitName] = []
    ) async {
        await report(of: charge, context) { context in
            _ = try await limits.refund(
                RateLimitV1.RefundRequest(chargeId: charge.id, only: only.map(\.rawValue)), context)
        }
    }

    /// The first of two proofs was right: the charge stays, and `giveBack` can refund it for as long
    /// as the sign-in waits.
    func hold(_ charge: LimitCharge, _ context: CallContext) async {
        await report(of: charge, context) { context in
            _ = try await limits.hold(RateLimitV1.HoldRequest(chargeId: charge.id), context)
        }
    }

    /// The second proof of a sign-in was right: refunds the charge of its first proof, and records the
    /// device as known. Only now a lockout starts over.
    /// - Parameters:
    ///   - id: of the charge, as the first call had it; empty if it was not made.
    ///   - action: as the first call charged it.
    ///   - signedIn: the account.
    func giveBack(
        _ id: String, of action: LimitedAction, signedIn: GatewayV1.Account?,
        _ context: CallContext
    ) async {
        let charge = LimitCharge(id: id, charges: action.charges)
        await succeed(
            charge, signedIn: signedIn, context, restartedCharges: action.restartedCharges)
    }

    /// The account's owner was verified without a counted guess: records the device as known, and
    /// unlocks the account after strangers' failures in a row.
    /// - Parameter forgettingOthers: the account may have been a stranger's until now, so the
    ///   devices known so far must be forgotten.
    func remember(
        _ email: String, on device: String, forgettingOthers: Bool = false, _ context: CallContext
    ) async {
        // An account without an email has no password to guess.
        guard !email.isEmpty else { return }
        await record(
            [LimitedAction.ofAccount(email, device)], forgettingOthers: forgettingOthers, context)
    }

    /// No device of the account is known any more: some may be a thief's. Unlocks the account as
    /// `remember` does, for its owner.
    /// - Parameter account: Its id; empty if it no longer exists.
    func forgetDevices(of email: String, _ account: String, _ context: CallContext) async {
        // Without a device none is recorded.
        await remember(email, on: "", forgettingOthers: true, context)
        guard !account.isEmpty else { return }
        await record(
            [LimitedAction.ofApp(account, .password, "")], forgettingOthers: true, context)
    }

    /// The account's owner has a second factor, and proved it without a counted guess: records the
    /// device as known for codes of authenticator apps, and starts its lane over (F-03).
    func rememberFactor(
        of account: String, after lane: TOTPLane, on device: String, _ context: CallContext
    ) async {
        await record([LimitedAction.ofApp(account, lane, device)], context)
    }

    /// The account has a new password: all counts of wrong codes of its authenticator apps start over,
    /// for devices that it does not know.
    func startFactorsOver(of account: String, _ context: CallContext) async {
        await record(TOTPLane.allCases.map { LimitedAction.ofApp(account, $0, "") }, context)
    }

    /// Reports a success that was not charged.
    private func record(
        _ charges: [RateLimitV1.Charge], forgettingOthers: Bool = false, _ context: CallContext
    ) async {
        let request = RateLimitV1.SucceedRequest(
            charges: charges, forgetDevices: forgettingOthers)
        do {
            try await afterwards(context) { _ = try await limits.succeed(request, $0) }
        } catch {
            logger.warning(
                "limits.known_device.failed", "recording a known device failed",
                fields: [.detail: .error(error)])
        }
    }

    /// If the rate limiter cannot be reached, the charge stays until its window ends, which errs on
    /// the strict side.
    private func report(
        of charge: LimitCharge, _ context: CallContext,
        _ call: @escaping @Sendable (CallContext) async throws -> Void
    ) async {
        defer { end(charge.guessedAt) }
        // A charge that was never made, because the rate limiter did not answer, has no id.
        guard !charge.id.isEmpty else { return }
        do {
            try await afterwards(context, call)
        } catch {
            logger.warning(
                "limits.refund.failed", "refunding a charge failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Reports to the rate limiter how a flow ended, even if the flow's caller has cancelled. The
    /// cancelled flow's own calls end before they are sent. This one must not: otherwise right
    /// passwords would count as failures, and devices of an account's former holder would stay
    /// known.
    private func afterwards(
        _ context: CallContext, _ call: @escaping @Sendable (CallContext) async throws -> Void
    ) async throws {
        let context = afterwards(context)
        if Task.isCancelled {
            try await Task { try await call(context) }.value
        } else {
            try await call(context)
        }
    }

    private static func isAbsence(_ error: ServiceError) -> Bool {
        error.code == .unavailable || error.code == .deadlineExceeded
    }

    /// With a deadline of its own: an expired deadline of the flow is one of the reasons for a
    /// refund.
    private func afterwards(_ context: CallContext) -> CallContext {
        CallContext(deadline: time.uptime() + Self.callTimeout, metadata: context.onward().metadata)
    }

    /// Attack: with a deadline shorter than the rate limiter's fsync, a caller makes the limiter
    /// look unreachable, and flows that pass without it are not counted. Such a call is rejected.
    private func requireTime(_ context: CallContext) throws(ServiceError) {
        guard time.uptime() + Self.callTimeout <= context.deadline else {
            throw ServiceError(.deadlineExceeded, notProcessed: true)
        }
    }

    /// With our own deadline, which no caller can shorten. If it passes, the rate limiter has
    /// failed.
    private func limiterContext(_ context: CallContext, _ idempotencyKey: String?) -> CallContext {
        CallContext(
            deadline: time.uptime() + Self.callTimeout,
            metadata: context.onward(idempotencyKey: idempotencyKey).metadata)
    }
}
