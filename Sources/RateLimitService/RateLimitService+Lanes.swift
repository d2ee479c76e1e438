import RPC
import ServiceRuntime
import Storage
import Synchronization

/// What a batch is charged to: the lanes of known devices, and the narrow one while the alarm is on.
extension RateLimitService {
    /// All of the narrow lane's attempts are one subject.
    private static let everybody = "everybody"

    /// - Throws: `rpc/invalid-argument` where one subject is named twice.
    func plan(_ asked: [AskedCharge], at now: Timestamp) throws -> ChargePlan {
        let policies = policies.value
        var plan = ChargePlan()
        for charge in asked {
            let lane = TrustedLane.lane(of: charge.limit)
            if let lane, devices.knows(charge.subject, charge.device, at: now) {
                let pair = TrustedLane.pair(charge.subject, charge.device)
                plan.add(lane, subjects.limitKey(lane, pair), policies)
            } else {
                let key = subjects.limitKey(charge.limit, charge.subject)
                plan.add(charge.limit, key, policies)
                if lane != nil { plan.isByStranger = true }
            }
        }
        guard plan.isSound else { throw ServiceError(.invalidArgument, fields: ["charges"]) }
        if plan.isByStranger, isAlarmed(policies, at: now) {
            let narrow = LimitName.signInWithoutHistory
            plan.add(narrow, subjects.limitKey(narrow, Self.everybody), policies)
        }
        return plan
    }

    /// Remembers that a charge's subject has succeeded from its device.
    func markDevice(_ charge: AskedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil, !charge.device.isEmpty else { return }
        if !devices.mark(charge.subject, charge.device, at: now) { reports.devicesFull(at: now) }
    }

    /// Forgets what was counted on each, with the lane of the device that is named.
    func forget(_ asked: [AskedCharge], at now: Timestamp) async throws {
        let policies = policies.value
        for charge in asked {
            var plan = ChargePlan()
            plan.add(charge.limit, subjects.limitKey(charge.limit, charge.subject), policies)
            if let lane = TrustedLane.lane(of: charge.limit), !charge.device.isEmpty {
                let pair = TrustedLane.pair(charge.subject, charge.device)
                plan.add(lane, subjects.limitKey(lane, pair), policies)
            }
            _ = table.decide(.reset, plan.requests, at: now)
            try await table.persisted(plan.requests)
            try await hitStore.audit(
                AuditEvent(.limitReset, subject: plan.requests.first?.key.hash))
        }
    }

    private func isAlarmed(_ policies: LimitPolicies, at now: Timestamp) -> Bool {
        let policy = policies[.signInFailuresOverall]
        guard !policy.isShadow else { return false }
        return alarm.withLock { $0.isOn(at: now, StuffingRule(policy.rule)) }
    }
}
