import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Charges every entry or none. Returns once durable charges are on disk. A guess from a known
    /// device is settled later, if the caller can ask for its outcome (`UnsettledGuesses`). A
    /// caller that no longer waits is charged nothing.
    package func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        // The socket's content is read first: after a stall it contains calls together with their
        // cancellations.
        await Task.yield()
        try requireCaller(of: context)
        let now = time.now()
        let charges = try RequestedCharge.read(request.charges)
        let source = try SubjectSource(request.namedBy)
        let repeatable = context.idempotencyKey.map { key in
            chargeIDs.derived(from: key, of: context.application, charges)
        }
        let id = try repeatable ?? chargeIDs.chosen(by: request)
        try settle(request.settled, at: now)
        let kind: ChargeKept =
            repeatable != nil ? .repeatable : request.settlesGuesses ? .settledLater : .refundable
        let (plan, verdict) = try planAndDecide(charges, namedBy: source, at: now) {
            try charge($0, as: id, kept: kind, at: now)
        }
        var isFirst = false
        if let verdict { isFirst = await report(verdict, of: plan, at: now) }
        let isLimited = verdict?.isLimited ?? false
        if !isLimited, plan.isDurable {
            do {
                try await table.persisted()
                try requireCaller(of: context)
            } catch {
                // The caller gets no id to refund. An error on our side must not count against the
                // user.
                refund(id, isRight: false, at: now)
                throw error
            }
        }
        guard let verdict, isLimited else {
            return RateLimitV1.ConsumeResponse(
                decision: answer(verdict ?? LimitVerdict(), plan, request.language, now),
                chargeId: UnsettledGuess.text(id),
                settledLater: kind == .settledLater && ledger.withLock { $0.guesses.keeps(id) })
        }
        var response = refusal(verdict, of: plan, request, at: now)
        response.decision?.firstRefusal = isFirst
        return response
    }

    /// The response of a refused charge. While earlier guesses of the device are unsettled, it may
    /// pass as soon as they are settled.
    private func refusal(
        _ verdict: LimitVerdict, of plan: ChargePlan, _ request: RateLimitV1.ConsumeRequest,
        at now: Timestamp
    ) -> RateLimitV1.ConsumeResponse {
        var verdict = verdict
        var listed: [Int64] = []
        if request.settlesGuesses, let lane = plan.key(of: UnsettledGuesses.lane) {
            let unsettled = ledger.withLock { $0.guesses.unsettled(in: lane, at: now) }
            listed = unsettled.listed
            if !listed.isEmpty || unsettled.areOthers {
                verdict.retryAt = now + UnsettledGuesses.wait
            }
        }
        return RateLimitV1.ConsumeResponse(
            decision: answer(verdict, plan, request.language, now),
            unsettled: listed.map(UnsettledGuess.text))
    }

    /// Settles guesses whose outcome the caller has asked for.
    /// - Throws: `rpc/invalid-argument`.
    private func settle(
        _ guesses: [RateLimitV1.SettledGuess], at now: Timestamp
    ) throws(ServiceError) {
        guard !guesses.isEmpty else { return }
        guard let ids = UnsettledGuess.charges(guesses.map(\.chargeId)) else {
            throw ServiceError(.invalidArgument, fields: ["settled"])
        }
        for (id, guess) in zip(ids, guesses) {
            if guess.wrong {
                _ = ledger.withLock { $0.guesses.take(id, at: now) }
            } else if ledger.withLock({ $0.guesses.keeps(id) }) {
                refund(id, isRight: false, at: now)
            }
        }
    }

    /// Rejects a call whose caller no longer waits. While this program is stopped or stalled, its
    /// sockets fill with calls that their callers have cancelled. If they were charged, they would
    /// lock out users with right passwords.
    /// - Throws: not processed: `rpc/deadline-exceeded`, by which the gateway knows that we did not
    ///   answer in time, for example while the disk stood still; `rpc/cancelled`.
    private func requireCaller(of context: CallContext) throws(ServiceError) {
        guard time.uptime() < context.deadline else {
            throw ServiceError(.deadlineExceeded, notProcessed: true)
        }
        guard !Task.isCancelled else { throw ServiceError(.cancelled, notProcessed: true) }
    }

    /// For what a charge is kept.
    private enum ChargeKept {
        case refundable
        /// It has an idempotency key.
        case repeatable
        /// It is a guess, and is settled later if it is from a known device.
        case settledLater
    }

    /// Charges a plan; nil for a retry, which is not charged again.
    /// - Throws: `rpc/resource-exhausted` for a retry after `ChargeLedger.repeatsMax`.
    private func charge(
        _ plan: ChargePlan, as id: Int64, kept: ChargeKept, at now: Timestamp
    ) throws(ServiceError) -> LimitVerdict? {
        if kept == .settledLater, let lane = plan.key(of: UnsettledGuesses.lane) {
            return chargeGuess(plan, in: lane, as: id, at: now)
        }
        guard kept == .repeatable else {
            let verdict = apply(.consume, plan, at: now)
            guard verdict.isCharged else { return verdict }
            ledger.withLock {
                $0.record(
                    id, plan.charged(verdict, in: table), plan.amounts(verdict, in: table), at: now)
            }
            return verdict
        }
        // Under one lock; otherwise two parallel calls with one key would both be charged.
        let (repetition, verdict) = ledger.withLock {
            ledger -> (ChargeLedger.Repetition, LimitVerdict?) in
            let repetition = ledger.repetition(of: id, at: now)
            guard repetition == .none else { return (repetition, nil) }
            let verdict = apply(.consume, plan, at: now)
            if verdict.isCharged {
                ledger.record(
                    id, plan.charged(verdict, in: table), plan.amounts(verdict, in: table), at: now,
                    isRepeatable: true)
            }
            return (.none, verdict)
        }
        guard case .refused(let retryAfter) = repetition else { return verdict }
        throw ServiceError(.resourceExhausted, retryAfter: retryAfter)
    }

    /// Charges a guess from a known device, under one lock, as `LimitJournalSource` requires.
    private func chargeGuess(
        _ plan: ChargePlan, in lane: LimitKey, as id: Int64, at now: Timestamp
    ) -> LimitVerdict {
        ledger.withLock { ledger in
            let verdict = apply(.consume, plan, at: now)
            guard verdict.isCharged else { return verdict }
            let keys = plan.charged(verdict, in: table)
            let guess = UnsettledGuesses.Guess(lane: lane, keys: keys, moment: now)
            if !ledger.guesses.record(id, guess) { ledger.record(id, keys, at: now) }
            return verdict
        }
    }

    /// Counts a decision in metrics and reports, and raises the alarm after too many failures in
    /// all.
    /// - Returns: whether it is the first refusal of a wait.
    func report(
        _ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp
    ) async -> Bool {
        let isFirst = count(verdict, of: plan, at: now)
        if plan.isFromUnknownDevice { await countTowardsAlarm(verdict, of: plan, at: now) }
        return isFirst
    }
}

extension LimitVerdict {
    /// Whether it was charged.
    fileprivate var isCharged: Bool { !isLimited && !isStale }
}
