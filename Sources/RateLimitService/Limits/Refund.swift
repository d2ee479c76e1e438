import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Refunds a charge, or the part of it in the limits of `only`.
    package func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) throws -> RateLimitV1.RefundResponse {
        refund(
            try ChargeIDs.read(request.chargeId), isRight: false,
            only: try Self.withLanes(request.only), at: time.now())
        return RateLimitV1.RefundResponse()
    }

    /// Refunds a charge, once. Does not wait for the disk, which saves each sign-in a commit. After
    /// a crash before the next write the charge remains, which errs on the strict side.
    /// - Parameters:
    ///   - isRight: whether the attempt was right; otherwise it does not count.
    ///   - only: the limits whose part is refunded, while the rest stays permanently; empty for
    ///     all.
    func refund(_ id: Int64, isRight: Bool, only: [LimitName] = [], at now: Timestamp) {
        let (taken, amounts) = ledger.withLock { ledger in
            let amounts = ledger.amounts(of: id)
            return (ledger.take(id, at: now), amounts)
        }
        guard let charge = taken else { return }
        let policies = policies.value
        let keys = charge.keys.filter { key in
            only.isEmpty || only.contains { $0.number == key.limit }
        }
        let requests = keys.compactMap { key in
            var request = refundRequest(of: key, policies)
            request?.amount = amounts[key] ?? 1
            return request
        }
        if !requests.isEmpty {
            _ = table.apply(.refund(at: charge.moment), requests, at: now)
        }
        if keys.contains(where: { $0.limit == LimitName.signInFailuresBySite.number }) {
            refundTowardsAlarm(chargedAt: charge.moment, isRight: isRight, policies)
        }
    }

    /// A request to where a charge was made, since a state keeps its key until it ends
    /// (`SubjectKeyRing`).
    private func refundRequest(of key: LimitKey, _ policies: LimitPolicies) -> LimitRequest? {
        guard let limit = LimitName(number: key.limit) else { return nil }
        var request = LimitRequest(key: key, rule: policies.rule(limit), isShadow: false)
        request.isShared = table.shards.isSharedBucket(key)
        return request
    }

    /// The limits with these names, and the lanes that a charge to one may have gone to.
    /// - Throws: `rpc/invalid-argument` for an unknown name.
    private static func withLanes(_ names: [String]) throws(ServiceError) -> [LimitName] {
        var limits: [LimitName] = []
        for name in names {
            guard let limit = LimitName(rawValue: name) else {
                throw ServiceError(.invalidArgument, fields: ["only"])
            }
            limits.append(limit)
            if let lane = TrustedLane.lane(of: limit) { limits.append(lane) }
            if limit == .phoneCodeGuess { limits.append(.phoneCodeFirstGuess) }
            if limit == .signUpByAddress { limits.append(.signUpBySharedSite) }
            if limit.definition.capacity == .text {
                limits += [.newSubjectsBySite, .newSubjectsByApplication]
            }
        }
        return limits
    }
}
