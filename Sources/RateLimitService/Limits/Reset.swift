import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension LimitsHandler {
    /// Deletes the states of the entries' subjects, with an audit event each.
    package func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse {
        guard resetsFrom.contains(context.application) else {
            throw ServiceError.notNamed(
                context.application, by: "resets-from", of: "rate-limit")
        }
        let charges = try RequestedCharge.read(
            request.charges, mayBeParts: CallContext.operators.contains(context.application))
        let forgotten = try await forget(charges, at: time.now(), by: context.application)
        return RateLimitV1.ResetResponse(forgotten: UInt32(clamping: forgotten))
    }

    /// Deletes the states of each charge's subject, with the lane of the device that it names.
    /// - Returns: for how many of them there was a state.
    @discardableResult
    func forget(
        _ charges: [RequestedCharge], at now: Timestamp, by actor: String
    ) async throws -> Int {
        let policies = policies.value
        var forgotten = 0
        for charge in charges {
            var keys: [LimitKey] = []
            var isCounted = false
            var audited: [UInt8]?
            subjects.apply(.reset, at: now) { ring in
                let requests = Self.lanes(of: charge).flatMap { limit, subject in
                    subjects.requestsEverywhere(limit, subject, policies.rule(limit), ring)
                }
                keys = requests.map(\.key)
                // Only for the response and the audit trail: a charge made in between is deleted
                // too. The trail has the hash under which the subject's refusals are in it.
                isCounted = keys.contains { table.holds($0) }
                let own = keys.prefix(1 + ring.formers.count)
                audited = (own.first { table.holds($0) } ?? keys.first)?.hash
                return requests
            }
            if isCounted { forgotten += 1 }
            ledger.withLock { $0.forget(keys) }
            try await table.persisted()
            try await hits.audit(AuditEvent(.limitReset, subject: audited).by(actor))
        }
        return forgotten
    }

    private static func lanes(of charge: RequestedCharge) -> [(LimitName, String)] {
        var lanes = [(charge.limit, charge.subject)]
        if let lane = TrustedLane.lane(of: charge.limit), !charge.device.isEmpty {
            lanes.append((lane, TrustedLane.pair(charge.subject, charge.device)))
        }
        if charge.limit == TrustedLane.unknownDeviceSignIns {
            lanes.append((.failedSignInInARow, charge.subject))
        }
        if charge.limit == .signUpByAddress {
            lanes.append((.signUpBySharedSite, charge.subject))
        }
        return lanes
    }
}
