import Messages
import RPC
import ServiceRuntime
import Synchronization

/// What is told of decisions, and what is taken back.
extension RateLimitService {
    /// The wait that is told where only an operator can end it: a day, in milliseconds.
    private static let waitWithoutEnd: Int64 = 24 * 3_600_000
    /// Where there was no room to count, in milliseconds: the next sweep may make some.
    private static let waitForRoom: Int64 = 60_000

    /// Counts a decision, and raises the alarm when so many have failed in all.
    func tell(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) async {
        count(verdict, of: plan, at: now)
        let decider = plan.limits[verdict.deciding]
        guard plan.isByStranger, !verdict.isLimited || decider == .signInWithoutHistory else {
            return
        }
        let rule = StuffingRule(policies.value[.signInFailuresOverall].rule)
        let change = alarm.withLock {
            $0.note(at: now, isEvaluated: !verdict.isLimited, rule)
        }
        guard change == .raised else { return }
        await reports.alarm(hitStore)
    }

    /// Counts a decision.
    func count(_ verdict: LimitVerdict, of plan: ChargePlan, at now: Timestamp) {
        if verdict.isFull { reports.full(at: now) }
        if verdict.isLimited {
            let place = verdict.deciding
            hits.note(plan.limits[place], plan.requests[place].key, verdict, at: now)
        }
        for place in plan.limits.indices where verdict.shadowLimited & 1 << UInt32(place) != 0 {
            hits.noteShadow(plan.limits[place])
        }
    }

    /// The decision as callers see it.
    func answer(
        _ verdict: LimitVerdict, _ plan: ChargePlan, _ language: String, _ now: Timestamp
    ) -> RateLimitV1.Decision {
        let limit = plan.limits[verdict.deciding]
        let wait =
            verdict.retryAt.map { max(1, ($0 - now).milliseconds) }
            ?? (verdict.isFull ? Self.waitForRoom : nil)
        return RateLimitV1.Decision(
            limited: verdict.isLimited, limit: limit.rawValue,
            retryAfterMs: verdict.isLimited ? UInt64(clamping: wait ?? Self.waitWithoutEnd) : 0,
            remaining: UInt32(clamping: verdict.remaining),
            attempt: UInt32(clamping: verdict.attempt),
            resetAtMs: verdict.resetAt?.milliseconds ?? 0,
            sentence: verdict.isLimited
                ? LimitSentence.text(
                    limit.definition.wording, milliseconds: wait, LimitLanguage(tag: language)) : ""
        )
    }

    /// Charges what is asked for; nil for a repeat, which is not charged again.
    func charge(
        _ plan: ChargePlan, as id: Int64, isRepeatable: Bool, at now: Timestamp
    ) -> LimitVerdict? {
        guard isRepeatable else {
            let verdict = table.decide(.consume, plan.requests, at: now)
            guard !verdict.isLimited else { return verdict }
            ledger.withLock { $0.note(id, plan.charged(verdict), at: now) }
            return verdict
        }
        // As one, or two parallel calls under one key would both be charged.
        return ledger.withLock { ledger in
            if ledger.takesRepeat(of: id, at: now) { return nil }
            let verdict = table.decide(.consume, plan.requests, at: now)
            if !verdict.isLimited { ledger.note(id, plan.charged(verdict), at: now) }
            return verdict
        }
    }

    /// The number of a charge as callers have it.
    /// - Throws: `rpc/invalid-argument` for what is no charge's number.
    static func chargeID(_ text: String) throws(ServiceError) -> Int64 {
        guard let id = Int64(text, radix: 36) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        return id
    }

    /// Takes a charge back, once. Not waited for on disk: a crash before the next write leaves the
    /// charge standing, which errs on the strict side, and every sign-in is spared a commit.
    /// - Parameter isRight: the attempt was; else it was none.
    func takeBack(_ id: Int64, isRight: Bool, at now: Timestamp) {
        guard let charge = ledger.withLock({ $0.take(id, at: now) }) else { return }
        let policies = policies.value
        let batch = charge.keys.compactMap { key in
            LimitName(number: key.limit).map {
                LimitRequest(key: key, rule: policies.rule($0), isShadow: false)
            }
        }
        guard !batch.isEmpty else { return }
        _ = table.decide(.refund(at: charge.moment), batch, at: now)
        if charge.keys.contains(where: { $0.limit == LimitName.failedSignInByAccount.number }) {
            let rule = StuffingRule(policies[.signInFailuresOverall].rule)
            alarm.withLock { $0.takeBack(of: charge.moment, isRight: isRight, rule) }
        }
    }

    /// Lets graduated delays and locks begin anew, after a success. Rings count on: the others'
    /// failures stand.
    func beginAnew(_ asked: [AskedCharge], at now: Timestamp) {
        let policies = policies.value
        var plan = ChargePlan()
        for charge in asked {
            switch policies[charge.limit].rule {
            case .ring, .rate: break
            case .ladder, .lock:
                let key = subjects.limitKey(charge.limit, charge.subject)
                plan.add(charge.limit, key, policies)
            }
        }
        guard !plan.requests.isEmpty else { return }
        _ = table.decide(.success, plan.requests, at: now)
    }
}
