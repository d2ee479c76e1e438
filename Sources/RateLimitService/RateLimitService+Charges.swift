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
        guard alarm.withLock({ $0.note(at: now, rule) }) == .raised else { return }
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

    /// Takes a charge back, once. Not waited for on disk: a crash before the next write leaves the
    /// charge standing, which errs on the strict side, and every sign-in is spared a commit.
    /// - Throws: `rpc/invalid-argument` for what is no charge's number.
    func takeBack(_ chargeID: String, at now: Timestamp) throws {
        guard let id = Int64(chargeID, radix: 36) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
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
            alarm.withLock { $0.takeBack(of: charge.moment, rule) }
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
