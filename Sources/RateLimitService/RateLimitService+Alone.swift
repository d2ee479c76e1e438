import Messages
import RPC
import ServiceRuntime

extension RateLimitService {
    /// What `Check` answers about one charge to one limit, as nearly all its callers ask: for it no
    /// arrays of charges, limits and requests are made, which cost more than deciding.
    ///
    ///     limit                         decided
    ///     durable                       nil: refused, as in a batch
    ///     with a lane of known devices  nil: as a batch, whose plan knows the lanes
    ///     any other                     here, as a batch of it alone would be
    func checkAlone(
        _ charge: AskedCharge, _ language: String, at now: Timestamp
    ) -> RateLimitV1.Decision? {
        let limit = charge.limit
        guard !limit.definition.isDurable, TrustedLane.lane(of: limit) == nil else { return nil }
        let policies = policies.value
        let rule = policies.rule(limit)
        let isShadow = policies[limit].isShadow
        while true {
            let ring = subjects.ring
            let request = LimitRequest(
                key: subjects.key(limit, charge.subject, rule, ring, at: now), rule: rule,
                isShadow: isShadow)
            let verdict = table.decide(.consume, request, at: now, under: ring.number)
            // Another secret of subjects has come into force in between, which is seldom.
            if verdict.isStale { continue }
            count(verdict, of: limit, request.key, at: now)
            return answer(verdict, by: limit, language, now)
        }
    }

    /// Counts a decision on one request.
    private func count(
        _ verdict: LimitVerdict, of limit: LimitName, _ key: LimitKey, at now: Timestamp
    ) {
        if verdict.isFull { reports.full(at: now) }
        if verdict.isLimited { hits.note(limit, key, verdict, at: now) }
        if verdict.shadowLimited != 0 { hits.noteShadow(limit) }
    }
}
