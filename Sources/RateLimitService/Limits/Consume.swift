import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Charges every entry or none. Returns once durable charges are on disk.
    /// - Throws: `rpc/invalid-argument`; `rpc/resource-exhausted` for too many retries under one
    ///   idempotency key; `rpc/cancelled`, not processed, if the caller no longer waits;
    ///   `rpc/unavailable` if the disk accepts no writes.
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
        let (plan, verdict) = try planAndDecide(charges, namedBy: source, at: now) {
            try charge($0, as: id, isRepeatable: repeatable != nil, at: now)
        }
        if let verdict { await report(verdict, of: plan, at: now) }
        let isLimited = verdict?.isLimited ?? false
        if !isLimited, plan.isDurable {
            do {
                try await table.persisted()
                try requireCaller(of: context)
            } catch {
                // The caller gets no id to refund. An error on our side must not count against the
                // user.
                refund(id, isRight: false, charges, at: now)
                throw error
            }
        }
        return RateLimitV1.ConsumeResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now),
            chargeId: isLimited ? "" : String(id, radix: 36))
    }

    /// Rejects a call whose caller no longer waits. While this program is stopped or stalled, its
    /// sockets fill with calls that their callers have cancelled. If they were charged, they would
    /// lock out users with right passwords.
    /// - Throws: `rpc/cancelled`, not processed.
    private func requireCaller(of context: CallContext) throws(ServiceError) {
        guard !Task.isCancelled, time.uptime() < context.deadline else {
            throw ServiceError(.cancelled, notProcessed: true)
        }
    }

    /// Charges a plan; nil for a retry, which is not charged again.
    /// - Throws: `rpc/resource-exhausted` for a retry after `ChargeLedger.repeatsMax`.
    private func charge(
        _ plan: ChargePlan, as id: Int64, isRepeatable: Bool, at now: Timestamp
    ) throws(ServiceError) -> LimitVerdict? {
        guard isRepeatable else {
            let verdict = apply(.consume, plan, at: now)
            guard verdict.isCharged else { return verdict }
            ledger.withLock { $0.record(id, plan.charged(verdict, in: table), at: now) }
            return verdict
        }
        // Under one lock; otherwise two parallel calls with one key would both be charged.
        let (repetition, verdict) = ledger.withLock {
            ledger -> (ChargeLedger.Repetition, LimitVerdict?) in
            let repetition = ledger.repetition(of: id, at: now)
            guard repetition == .none else { return (repetition, nil) }
            let verdict = apply(.consume, plan, at: now)
            if verdict.isCharged {
                ledger.record(id, plan.charged(verdict, in: table), at: now, isRepeatable: true)
            }
            return (.none, verdict)
        }
        guard case .refused(let retryAfter) = repetition else { return verdict }
        throw ServiceError(.resourceExhausted, retryAfter: retryAfter)
    }

    /// Counts a decision in metrics and reports, and raises the alarm after too many failures in
    /// all.
    func report(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) async {
        count(verdict, of: plan, at: now)
        if plan.isFromUnknownDevice { await countTowardsAlarm(verdict, of: plan, at: now) }
    }
}

extension LimitVerdict {
    /// Whether it was charged.
    fileprivate var isCharged: Bool { !isLimited && !isStale }
}
