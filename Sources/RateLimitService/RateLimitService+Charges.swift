import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Responses and reports about decisions, and refunds.
extension RateLimitService {
    /// The wait in a response if only an operator can end it: a day, in milliseconds.
    private static let waitWithoutEnd: Int64 = 24 * 3_600_000
    /// The wait if there was no capacity to count, in milliseconds: the next sweep may free some.
    private static let waitForRoom: Int64 = 60_000

    /// Counts a decision in metrics and reports, and raises the alarm after too many failures in
    /// all.
    func tell(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) async {
        count(verdict, of: plan, at: now)
        guard plan.isByStranger else { return }
        if verdict.isLimited {
            guard TrustedLane.isNarrow(plan.limits[verdict.deciding]) else { return }
            let refused = plan.byAddress
            guard !refused.requests.isEmpty,
                refused.isCountedTowardsAlarm(decide(.consume, refused, at: now))
            else { return }
        } else {
            guard plan.isCountedTowardsAlarm(verdict) else { return }
        }
        let rule = CredentialStuffingRule(policies.value[.signInFailuresOverall].rule)
        let change = alarm.withLock {
            $0.note(at: now, isEvaluated: !verdict.isLimited, rule)
        }
        guard change == .raised else { return }
        await reports.alarm(hitStore)
    }

    /// Counts a decision in metrics and reports.
    func count(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) {
        if verdict.isFull { reports.full(at: now) }
        if verdict.isLimited {
            let place = verdict.deciding
            hits.note(plan.limits[place], plan.requests[place].key, verdict, at: now)
        }
        guard verdict.shadowLimited != 0 else { return }
        for limit in plan.shadowHits(verdict, policies.value) { hits.noteShadow(limit) }
    }

    /// The decision as a message.
    func answer(
        _ verdict: LimitVerdict, _ plan: ChargePlan, _ language: String, _ now: Timestamp
    ) -> RateLimitV1.Decision {
        answer(verdict, by: plan.limits[verdict.deciding], language, now)
    }

    /// The same, with the limit that decided.
    func answer(
        _ verdict: LimitVerdict, by limit: LimitName, _ language: String, _ now: Timestamp
    ) -> RateLimitV1.Decision {
        var decision = RateLimitV1.Decision(
            limited: verdict.isLimited, limit: limit.rawValue,
            remaining: UInt32(clamping: verdict.remaining),
            attempt: UInt32(clamping: verdict.attempt),
            resetAtMs: verdict.resetAt?.milliseconds ?? 0)
        guard verdict.isLimited else { return decision }
        let wait =
            verdict.retryAt.map { max(1, ($0 - now).milliseconds) }
            ?? (verdict.isFull ? Self.waitForRoom : nil)
        decision.retryAfterMs = UInt64(clamping: wait ?? Self.waitWithoutEnd)
        decision.sentence = LimitSentence.text(
            limit.definition.wording, milliseconds: wait, LimitLanguage(tag: language))
        return decision
    }

    /// Rejects a call whose caller no longer waits. While this program is stopped or stalled, its
    /// sockets fill with calls that their callers have cancelled. If they were charged, they would
    /// lock out users with right passwords.
    /// - Throws: `rpc/cancelled`, not processed.
    func requireCaller(of context: CallContext) throws(ServiceError) {
        guard !Task.isCancelled, time.uptime() < context.deadline else {
            throw ServiceError(.cancelled, notProcessed: true)
        }
    }

    /// Charges a plan; nil for a retry, which is not charged again.
    /// - Throws: `rpc/resource-exhausted` for a retry after `ChargeLedger.repeatsMax`.
    func charge(
        _ plan: ChargePlan, as id: Int64, isRepeatable: Bool, at now: Timestamp
    ) throws(ServiceError) -> LimitVerdict? {
        guard isRepeatable else {
            let verdict = decide(.consume, plan, at: now)
            guard verdict.isCharged else { return verdict }
            ledger.withLock { $0.note(id, plan.charged(verdict, in: table), at: now) }
            return verdict
        }
        // Under one lock; otherwise two parallel calls with one key would both be charged.
        let (repetition, verdict) = ledger.withLock {
            ledger -> (ChargeLedger.Repetition, LimitVerdict?) in
            let repetition = ledger.repetition(of: id, at: now)
            guard repetition == .none else { return (repetition, nil) }
            let verdict = decide(.consume, plan, at: now)
            if verdict.isCharged {
                ledger.note(id, plan.charged(verdict, in: table), at: now, isRepeatable: true)
            }
            return (.none, verdict)
        }
        guard case .refused(let retryAfter) = repetition else { return verdict }
        throw ServiceError(.resourceExhausted, retryAfter: retryAfter)
    }

    /// A charge's id from its text form.
    /// - Throws: `rpc/invalid-argument` for a text that is not an id.
    static func chargeID(_ text: String) throws(ServiceError) -> Int64 {
        guard let id = Int64(text, radix: 36) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        return id
    }

    /// Refunds a charge, once. Does not wait for the disk, which saves each sign-in a commit. After
    /// a crash before the next write the charge remains, which errs on the strict side.
    /// - Parameters:
    ///   - isRight: whether the attempt was right; otherwise it does not count.
    ///   - asked: what was charged, as the caller states it.
    ///   - only: the limits whose part is refunded, while the rest stays permanently; empty for
    ///     all.
    func takeBack(
        _ id: Int64, isRight: Bool, _ asked: [AskedCharge], only: [LimitName] = [],
        at now: Timestamp
    ) {
        guard let charge = ledger.withLock({ $0.take(id, at: now) }) else { return }
        let policies = policies.value
        let keys = charge.keys.filter { key in
            only.isEmpty || only.contains { $0.number == key.limit }
        }
        subjects.decide(.refund(at: charge.moment), at: now) { ring in
            keys.compactMap { refund(of: $0, asked, ring, policies, at: now) }
        }
        if keys.contains(where: { $0.limit == LimitName.signInFailuresBySite.number }) {
            let rule = CredentialStuffingRule(policies[.signInFailuresOverall].rule)
            alarm.withLock { $0.takeBack(of: charge.moment, isRight: isRight, rule) }
        }
    }

    /// Where a charge is stored now: in the pool that it was made to, or under its subject's
    /// current key.
    private func refund(
        of key: LimitKey, _ asked: [AskedCharge], _ ring: SubjectKeyRing,
        _ policies: LimitPolicies, at now: Timestamp
    ) -> LimitRequest? {
        guard let limit = LimitName(number: key.limit) else { return nil }
        let rule = policies.rule(limit)
        guard !table.stripes.isPool(key) else {
            var request = LimitRequest(key: key, rule: rule, isShadow: false)
            request.isPooled = true
            return request
        }
        // A charge can have been made under a former secret only shortly after a rotation.
        let isRecent = now - ring.current.since < ChargeLedger.life + ChargeLedger.life
        guard isRecent, let (limit, subject) = TransferredKeys(ring, asked).subject(of: key) else {
            return LimitRequest(key: key, rule: rule, isShadow: false)
        }
        let moved = subjects.key(limit, subject, rule, ring, at: now)
        return LimitRequest(key: moved, rule: rule, isShadow: false)
    }

    /// Starts ladders and locks over after a success. Rings continue: failures of others still
    /// count, and so do those in lanes that the attempt was not charged to.
    func beginAnew(_ asked: [AskedCharge], at now: Timestamp) {
        let policies = policies.value
        for charge in asked {
            subjects.decide(.success, at: now) { ring in
                opened(by: charge, at: now).compactMap { limit, subject in
                    let rule = policies.rule(limit)
                    switch rule {
                    case .ring, .rate: return nil
                    case .ladder, .lock:
                        let key = subjects.key(limit, subject, rule, ring, at: now)
                        return LimitRequest(key: key, rule: rule, isShadow: false)
                    }
                }
            }
        }
    }

    /// What a success of a charge resets: the lane that it was charged to; the failures in a row,
    /// which end with a success from any device (NIST SP 800-63B-4 §3.2.2); and a number that was
    /// locked, once a new code was entered for it.
    private func opened(
        by charge: AskedCharge, at now: Timestamp
    ) -> [(LimitName, String)] {
        let lane = lane(of: charge, at: now)
        var opened = [(lane.limit, lane.subject)]
        if charge.limit == TrustedLane.ofStrangers {
            opened.append((.failedSignInInARow, charge.subject))
        }
        if lane.limit == .phoneCodeFirstGuess { opened.append((charge.limit, charge.subject)) }
        return opened
    }
}

extension LimitVerdict {
    /// Whether it was charged.
    fileprivate var isCharged: Bool { !isLimited && !isStale }
}
