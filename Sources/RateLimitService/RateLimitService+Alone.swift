import Messages
import RPC
import ServiceRuntime

extension RateLimitService {
    /// What `Check` answers about one charge to one limit, as nearly all its callers ask: for it no
    /// arrays of charges, limits and requests are made, which cost more than deciding.
    ///
    ///     limit                                         decided
    ///     durable                                       nil: refused, as in a batch
    ///     with a lane of known devices, or whose
    ///     subjects are folded                           nil: as a batch
    ///     any other                                     here, as a batch of it alone would be
    func checkAlone(
        _ charge: AskedCharge, _ language: String, at now: Timestamp
    ) -> RateLimitV1.Decision? {
        guard charge.limit.isDecidedAlone else { return nil }
        var subject = charge.subject
        let verdict = subject.withUTF8 {
            decideAlone(charge.limit, UnsafeRawBufferPointer($0), at: now)
        }
        return answer(verdict, by: charge.limit, language, now)
    }

    /// Answers such a Check from its request's bytes, and writes the answer where nothing is
    /// refused as bytes too: messages would cost as much again.
    /// - Returns: false for any other request, about which nothing was done.
    /// - Throws: `rpc/resource-exhausted` when the answer is over the peer's limit.
    func checkInPlace(
        _ request: UnsafeRawBufferPointer, _ writer: inout ResponseWriter
    ) throws -> Bool {
        guard let check = BorrowedCheck(request) else { return false }
        let now = time.now()
        let verdict = decideAlone(check.limit, check.subject, at: now)
        if verdict.isLimited {
            let language = String(decoding: check.language, as: UTF8.self)
            let decision = answer(verdict, by: check.limit, language, now)
            try writer.write(RateLimitV1.CheckResponse(decision: decision))
        } else {
            try writer.write(AllowedCheck(verdict, by: check.limit))
        }
        return true
    }

    /// Charges one subject of a limit that `isDecidedAlone`.
    private func decideAlone(
        _ limit: LimitName, _ subject: UnsafeRawBufferPointer, at now: Timestamp
    ) -> LimitVerdict {
        let (rule, isShadow) = policies.policy(limit)
        while true {
            let ring = subjects.ring
            let request = LimitRequest(
                key: subjects.key(limit, folded: subject, rule, ring, at: now), rule: rule,
                isShadow: isShadow)
            let verdict = table.decide(.consume, request, at: now, under: ring.number)
            // Another secret of subjects has come into force in between, which is seldom.
            if verdict.isStale { continue }
            count(verdict, of: limit, request.key, at: now)
            return verdict
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

extension LimitName {
    /// Whether one charge to it is decided without a plan.
    var isDecidedAlone: Bool {
        let definition = definition
        return !definition.isDurable && definition.subject == .text
            && TrustedLane.lane(of: self) == nil
    }
}
