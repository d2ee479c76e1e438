import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension LimitsHandler {
    /// Refunds a charge, or the part of it in the limits of `only`.
    package func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) throws -> RateLimitV1.RefundResponse {
        // A caller that names no charges made them under the current secret.
        let charges = request.charges.isEmpty ? [] : try RequestedCharge.read(request.charges)
        refund(
            try ChargeIDs.read(request.chargeId), isRight: false, charges,
            only: try Self.withLanes(request.only), at: time.now())
        return RateLimitV1.RefundResponse()
    }

    /// Refunds a charge, once. Does not wait for the disk, which saves each sign-in a commit. After
    /// a crash before the next write the charge remains, which errs on the strict side.
    /// - Parameters:
    ///   - isRight: whether the attempt was right; otherwise it does not count.
    ///   - charges: what was charged, as the caller states it.
    ///   - only: the limits whose part is refunded, while the rest stays permanently; empty for
    ///     all.
    func refund(
        _ id: Int64, isRight: Bool, _ charges: [RequestedCharge], only: [LimitName] = [],
        at now: Timestamp
    ) {
        let (taken, amounts) = ledger.withLock { ledger in
            let amounts = ledger.amounts(of: id)
            return (ledger.take(id, at: now), amounts)
        }
        guard let charge = taken else { return }
        let policies = policies.value
        let keys = charge.keys.filter { key in
            only.isEmpty || only.contains { $0.number == key.limit }
        }
        subjects.apply(.refund(at: charge.moment), at: now) { ring in
            keys.compactMap { key in
                var request = refundRequest(of: key, charges, ring, policies, at: now)
                request?.amount = amounts[key] ?? 1
                return request
            }
        }
        if keys.contains(where: { $0.limit == LimitName.signInFailuresBySite.number }) {
            refundTowardsAlarm(chargedAt: charge.moment, isRight: isRight, policies)
        }
    }

    /// Where a charge is stored now: in the shared bucket that it was made to, or under its
    /// subject's current key.
    private func refundRequest(
        of key: LimitKey, _ charges: [RequestedCharge], _ ring: SubjectKeyRing,
        _ policies: LimitPolicies, at now: Timestamp
    ) -> LimitRequest? {
        guard let limit = LimitName(number: key.limit) else { return nil }
        let rule = policies.rule(limit)
        guard !table.shards.isSharedBucket(key) else {
            var request = LimitRequest(key: key, rule: rule, isShadow: false)
            request.isShared = true
            return request
        }
        // A charge can have been made under a former secret only shortly after a rotation.
        let isRecent = now - ring.current.since < ChargeLedger.life + ChargeLedger.life
        guard isRecent, let (limit, subject) = Self.subject(of: key, ring, charges) else {
            return LimitRequest(key: key, rule: rule, isShadow: false)
        }
        return subjects.request(limit, subject, rule, ring, at: now)
    }

    /// The limit and subject that were charged under `key`; nil if the caller did not name them.
    /// Charges are remembered by their keys only, but a caller that refunds one names what was
    /// charged.
    private static func subject(
        of key: LimitKey, _ ring: SubjectKeyRing, _ charges: [RequestedCharge]
    ) -> (LimitName, String)? {
        let secrets = [ring.current] + ring.formers
        var candidates = [(LimitName.signInWithoutHistory, TrustedLane.sharedSubject)]
        for charge in charges {
            candidates.append((charge.limit, charge.subject))
            if charge.limit == TrustedLane.unknownDeviceSignIns {
                candidates.append((.failedSignInInARow, charge.subject))
            }
            guard let lane = TrustedLane.lane(of: charge.limit) else { continue }
            candidates.append((lane, TrustedLane.pair(charge.subject, charge.device)))
        }
        return candidates.first { limit, subject in
            limit.number == key.limit
                && secrets.contains { $0.limitKey(limit, subject) == key }
        }
    }

    /// The limits with these names, and the lanes that a charge to one may have gone to.
    /// - Throws: `rpc/invalid-argument` for an unknown name.
    private static func withLanes(_ names: [String]) throws(ServiceError) -> [LimitName] {
        var limits: [LimitName] = []
        for name in names {
            guard let limit = LimitName.called(name) else {
                throw ServiceError(.invalidArgument, fields: ["only"])
            }
            limits.append(limit)
            if let lane = TrustedLane.lane(of: limit) { limits.append(lane) }
            if limit == .phoneCodeGuess { limits.append(.phoneCodeFirstGuess) }
            if limit.definition.capacity == .text {
                limits += [.newSubjectsBySite, .newSubjectsByApplication]
            }
        }
        return limits
    }
}
