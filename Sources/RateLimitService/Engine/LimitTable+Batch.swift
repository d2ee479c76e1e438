import Contracts

/// Batches, and requests for which there may be no capacity. Each step looks its slot up again,
/// since a sweep or the charge before it may have moved it. The caller holds the locks.
extension LimitTable {
    func decideLocked(
        _ operation: LimitOperation, _ batch: [LimitRequest], at now: Int64
    ) -> LimitVerdict {
        switch operation {
        case .peek: break
        case .consume: return consume(batch, at: now)
        case .success: for request in batch { succeed(request, at: now) }
        case .refund(let charged):
            for request in batch { refund(request, of: Self.moment(charged), at: now) }
        case .reset: for request in batch { forget(request) }
        }
        return survey(batch, at: now).verdict
    }

    private func consume(_ batch: [LimitRequest], at now: Int64) -> LimitVerdict {
        var survey = survey(batch, at: now)
        guard !survey.verdict.isLimited else {
            let request = batch[survey.verdict.deciding]
            let key = counted(request, isPooled: survey.isPooled).key
            let stripe = stripes[key]
            stripe.pointee.note(stripe.pointee.find(key))
            return survey.verdict
        }
        for (place, request) in batch.enumerated() where !survey.isSpared(place) {
            let counted = counted(request, isPooled: survey.isPooled(place))
            let stripe = stripes[counted.key]
            let found = stripe.pointee.find(counted.key)
            if !stripe.pointee.charge(counted.rule, counted.key, at: found, now) {
                survey.refuse(place)
            }
        }
        return survey.verdict
    }

    private func survey(_ batch: [LimitRequest], at now: Int64) -> BatchSurvey {
        var survey = BatchSurvey()
        for (place, request) in batch.enumerated() {
            let isPooled = !hasPlace(request.key, at: now)
            let counted = counted(request, isPooled: isPooled)
            let stripe = stripes[counted.key]
            let found = stripe.pointee.find(counted.key)
            survey.add(
                stripe.pointee.answer(counted.rule, at: found, now), of: request, at: place,
                isPooled: isPooled, isNoted: stripe.pointee.isNoted(found))
        }
        return survey
    }

    private func succeed(_ request: LimitRequest, at now: Int64) {
        let stripe = stripes[request.key]
        stripe.pointee.succeed(request.rule, at: stripe.pointee.find(request.key), now)
    }

    /// Refunds a charge only where it was made. Charges that strangers made to the pool in the same
    /// millisecond are not refunded for it.
    private func refund(_ request: LimitRequest, of moment: Int64, at now: Int64) {
        let counted = counted(request, isPooled: request.isPooled)
        let stripe = stripes[counted.key]
        let found = stripe.pointee.find(counted.key)
        guard stripe.pointee.mayHold(counted.rule, moment, at: found, now) else { return }
        stripe.pointee.refund(counted.rule, of: moment, at: found, now)
    }

    private func forget(_ request: LimitRequest) {
        let stripe = stripes[request.key]
        stripe.pointee.forget(at: stripe.pointee.find(request.key))
    }

    /// Whether the subject has, or can get, a state of its own.
    private func hasPlace(_ key: LimitKey, at now: Int64) -> Bool {
        let stripe = stripes[key]
        if stripe.pointee.hasRoom(for: key.limit) || stripe.pointee.find(key).isThere {
            return true
        }
        stripes.sweepIfDue(stripe, at: now)
        return stripe.pointee.hasRoom(for: key.limit)
    }

    /// What is charged for a request: its own key, or the pool of its limit.
    private func counted(_ request: LimitRequest, isPooled: Bool) -> LimitRequest {
        guard isPooled else { return request }
        return LimitRequest(
            key: stripes.poolKey(of: request.key), rule: request.rule.pooled,
            isShadow: request.isShadow)
    }
}
