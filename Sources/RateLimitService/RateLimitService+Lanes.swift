import RPC
import ServiceRuntime
import Storage
import Synchronization

/// What a batch is charged to: the lanes of known devices, and the narrow one while the alarm is on.
extension RateLimitService {
    /// - Throws: `rpc/invalid-argument` where one subject is named twice.
    func plan(_ asked: [AskedCharge], at now: Timestamp) throws -> ChargePlan {
        let policies = policies.value
        let ring = subjects.ring
        var plan = ChargePlan(under: ring.number)
        func add(_ limit: LimitName, _ subject: String) {
            let key = subjects.key(limit, subject, policies.rule(limit), ring, at: now)
            plan.add(limit, key, policies)
        }
        for charge in asked {
            let lane = lane(of: charge, at: now)
            add(lane.limit, lane.subject)
            if lane.limit == TrustedLane.ofStrangers { plan.isByStranger = true }
        }
        guard plan.isSound else { throw ServiceError(.invalidArgument, fields: ["charges"]) }
        if plan.isByStranger, isAlarmed(policies, at: now) {
            add(.signInWithoutHistory, TrustedLane.everybody)
        }
        return plan
    }

    /// Plans and decides: anew where another secret of subjects has come into force in between,
    /// which is seldom.
    /// - Parameter decide: nil for a repeat, on which nothing is decided.
    func decide(
        _ asked: [AskedCharge], at now: Timestamp, _ decide: (ChargePlan) throws -> LimitVerdict?
    ) throws -> (plan: ChargePlan, verdict: LimitVerdict?) {
        while true {
            let plan = try plan(asked, at: now)
            let verdict = try decide(plan)
            if verdict?.isStale != true { return (plan, verdict) }
        }
    }

    /// Decides on a plan, unless the secret that it was made under is not in force any more.
    func decide(_ operation: LimitOperation, _ plan: ChargePlan, at now: Timestamp) -> LimitVerdict
    {
        table.decide(operation, plan.requests, at: now, under: plan.secret)
    }

    /// The limit and subject that a charge goes to.
    func lane(of charge: AskedCharge, at now: Timestamp) -> (limit: LimitName, subject: String) {
        guard let lane = TrustedLane.lane(of: charge.limit),
            devices.knows(
                TrustedLane.owner(charge.limit, charge.subject), charge.device, at: now)
        else { return (charge.limit, charge.subject) }
        return (lane, TrustedLane.pair(charge.subject, charge.device))
    }

    /// Remembers that a charge's subject has succeeded from its device.
    func markDevice(_ charge: AskedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil, !charge.device.isEmpty else { return }
        let owner = TrustedLane.owner(charge.limit, charge.subject)
        if !devices.mark(owner, charge.device, at: now) { reports.devicesFull(at: now) }
    }

    /// Forgets what was counted on each, with the lane of the device that is named.
    /// - Returns: on how many something was.
    @discardableResult
    func forget(_ asked: [AskedCharge], at now: Timestamp) async throws -> Int {
        let policies = policies.value
        var forgotten = 0
        for charge in asked {
            var keys: [LimitKey] = []
            var isCounted = false
            subjects.decide(.reset, at: now) { ring in
                let requests = Self.lanes(of: charge).map { limit, subject in
                    let rule = policies.rule(limit)
                    let key = subjects.key(limit, subject, rule, ring, at: now)
                    return LimitRequest(key: key, rule: rule, isShadow: false)
                }
                keys = requests.map(\.key)
                // Only for the answer: what a charge adds in between is forgotten just as well.
                isCounted = keys.contains { table.holds($0) }
                return requests
            }
            if isCounted { forgotten += 1 }
            ledger.withLock { $0.forget(keys) }
            try await subjects.finish()
            try await hitStore.audit(AuditEvent(.limitReset, subject: keys.first?.hash))
        }
        return forgotten
    }

    private static func lanes(of charge: AskedCharge) -> [(LimitName, String)] {
        var lanes = [(charge.limit, charge.subject)]
        if let lane = TrustedLane.lane(of: charge.limit), !charge.device.isEmpty {
            lanes.append((lane, TrustedLane.pair(charge.subject, charge.device)))
        }
        return lanes
    }

    private func isAlarmed(_ policies: LimitPolicies, at now: Timestamp) -> Bool {
        let policy = policies[.signInFailuresOverall]
        guard !policy.isShadow else { return false }
        return alarm.withLock { $0.isOn(at: now, StuffingRule(policy.rule)) }
    }
}
