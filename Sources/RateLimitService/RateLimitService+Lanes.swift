import Contracts
import RPC
import ServiceRuntime
import Storage
import Synchronization

/// The limits that a batch is charged to: those of known devices, and those of the alarm while it
/// is on.
extension RateLimitService {
    /// - Parameter namer: the origin of the subjects; nil if unknown.
    /// - Throws: `rpc/invalid-argument` if a subject occurs twice.
    func plan(
        _ asked: [AskedCharge], namedBy namer: SubjectNamer? = nil, at now: Timestamp
    ) throws -> ChargePlan {
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
            guard lane.limit == TrustedLane.ofStrangers, !plan.isByStranger else { continue }
            plan.isByStranger = true
            add(.failedSignInInARow, lane.subject)
        }
        guard plan.isSound else { throw ServiceError(.invalidArgument, fields: ["charges"]) }
        if plan.isByStranger {
            if let namer { add(.signInFailuresBySite, namer.subject) }
            if isAlarmed(policies, at: now) {
                add(.signInWithoutHistory, TrustedLane.everybody)
                if let namer { add(.signInWithoutHistoryBySite, namer.subject) }
            }
        }
        if let namer, plan.namesNew(in: table) { add(namer.newSubjects, namer.subject) }
        return plan
    }

    /// Plans and decides. Starts over if another secret became current in between, which is rare.
    /// - Parameter decide: returns nil for a retry, for which no decision is made.
    /// - Throws: `rpc/invalid-argument` as `plan`, and the errors of `decide`.
    func decide(
        _ asked: [AskedCharge], namedBy namer: SubjectNamer? = nil, at now: Timestamp,
        _ decide: (ChargePlan) throws -> LimitVerdict?
    ) throws -> (plan: ChargePlan, verdict: LimitVerdict?) {
        while true {
            let plan = try plan(asked, namedBy: namer, at: now)
            let verdict = try decide(plan)
            if verdict?.isStale != true { return (plan, verdict) }
        }
    }

    /// Decides on a plan, unless its secret is no longer the current one.
    func decide(_ operation: LimitOperation, _ plan: ChargePlan, at now: Timestamp) -> LimitVerdict
    {
        table.decide(operation, plan.requests, at: now, under: plan.secret)
    }

    /// The limit and subject that a charge goes to.
    func lane(of charge: AskedCharge, at now: Timestamp) -> (limit: LimitName, subject: String) {
        guard let lane = TrustedLane.lane(of: charge.limit) else {
            return (charge.limit, charge.subject)
        }
        if devices.knows(
            TrustedLane.owner(charge.limit, charge.subject), charge.device, at: now)
        {
            return (lane, TrustedLane.pair(charge.subject, charge.device))
        }
        if charge.limit == .phoneCodeGuess, !charge.target.isEmpty, isShut(charge, at: now) {
            return (.phoneCodeFirstGuess, TrustedLane.pair(charge.subject, charge.target))
        }
        return (charge.limit, charge.subject)
    }

    /// Whether the limit is locked until a reset.
    private func isShut(_ charge: AskedCharge, at now: Timestamp) -> Bool {
        let (rule, isShadow) = policies.policy(charge.limit)
        guard !isShadow else { return false }
        let verdict = subjects.decide(.peek, at: now) { ring in
            let key = subjects.key(charge.limit, charge.subject, rule, ring, at: now)
            return [LimitRequest(key: key, rule: rule, isShadow: false)]
        }
        return verdict.isLimited && verdict.retryAt == nil && !verdict.isFull
    }

    /// Records that a charge's subject has succeeded from its device.
    func markDevice(_ charge: AskedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil, !charge.device.isEmpty else { return }
        let owner = TrustedLane.owner(charge.limit, charge.subject)
        if !devices.mark(owner, charge.device, at: now) { reports.devicesFull(at: now) }
    }

    /// Forgets the known devices of a charge's subject.
    func forgetDevices(of charge: AskedCharge, at now: Timestamp) {
        guard TrustedLane.lane(of: charge.limit) != nil else { return }
        let owner = TrustedLane.owner(charge.limit, charge.subject)
        if !devices.forget(owner, at: now) { reports.devicesFull(at: now) }
    }

    /// The limits with these names, and the lanes that a charge to one may have gone to.
    /// - Throws: `rpc/invalid-argument` for an unknown name.
    static func withLanes(_ names: [String]) throws(ServiceError) -> [LimitName] {
        var limits: [LimitName] = []
        for name in names {
            guard let limit = LimitName.called(name) else {
                throw ServiceError(.invalidArgument, fields: ["only"])
            }
            limits.append(limit)
            if let lane = TrustedLane.lane(of: limit) { limits.append(lane) }
            if limit == .phoneCodeGuess { limits.append(.phoneCodeFirstGuess) }
            if limit.room == .text { limits += [.newSubjectsBySite, .newSubjectsByApplication] }
        }
        return limits
    }

    /// Deletes the states of each charge's subject, with the lane of the device that it names.
    /// - Returns: for how many of them there was a state.
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
                // Only for the response: a charge made in between is deleted too.
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
        if charge.limit == TrustedLane.ofStrangers {
            lanes.append((.failedSignInInARow, charge.subject))
        }
        return lanes
    }

    private func isAlarmed(_ policies: LimitPolicies, at now: Timestamp) -> Bool {
        let policy = policies[.signInFailuresOverall]
        guard !policy.isShadow else { return false }
        return alarm.withLock { $0.isOn(at: now, CredentialStuffingRule(policy.rule)) }
    }
}
