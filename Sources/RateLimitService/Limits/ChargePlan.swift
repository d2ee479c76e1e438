import Contracts
import ServiceRuntime
import Synchronization

/// The limits and keys that a batch is charged to.
struct ChargePlan: Sendable {
    /// The number of the secret that its keys were derived from.
    let secret: Int64
    private(set) var limits: [LimitName] = []
    private(set) var requests: [LimitRequest] = []
    /// Whether it is a sign-in from a device that the account does not know.
    var isByStranger = false

    init(under secret: Int64) {
        self.secret = secret
    }

    mutating func add(_ limit: LimitName, _ key: LimitKey, _ policies: LimitPolicies) {
        limits.append(limit)
        // A limit that only counts towards the alarm refuses nothing.
        let isShadow = limit == .signInFailuresBySite || policies[limit].isShadow
        requests.append(
            LimitRequest(key: key, rule: policies.rule(limit), isShadow: isShadow))
    }

    /// Whether a text that a stranger can name is among the subjects and has no state yet.
    func namesNew(in table: LimitTable) -> Bool {
        limits.indices.contains { place in
            limits[place].definition.capacity == .text && !table.holds(requests[place].key)
        }
    }

    /// The part that is charged even if the limits of the alarm refuse the attempt: its address. A
    /// caller that keeps trying during the alarm is then refused by its address and no longer
    /// counts towards the alarm.
    var byAddress: ChargePlan {
        var plan = ChargePlan(under: secret)
        for place in limits.indices where Self.isByAddress(limits[place]) {
            plan.limits.append(limits[place])
            plan.requests.append(requests[place])
        }
        return plan
    }

    private static func isByAddress(_ limit: LimitName) -> Bool {
        switch limit {
        case .failedSignInByAddress, .failedSignInBySite, .failedSignInByDevice,
            .unaddressedByApplication, .signInFailuresBySite:
            true
        default: false
        }
    }

    /// Whether the verdict charged the attempt to its site's count towards the alarm.
    func isCountedTowardsAlarm(_ verdict: LimitVerdict) -> Bool {
        guard let place = limits.firstIndex(of: .signInFailuresBySite) else { return false }
        return !verdict.isLimited && !verdict.isStale
            && !verdict.isSpared(place)
    }

    /// The limits in the operator's shadow mode that would have refused. The limit that only counts
    /// towards the alarm is not reported: no operator is testing it, and it never refuses.
    func shadowHits(_ verdict: LimitVerdict, _ policies: LimitPolicies) -> [LimitName] {
        limits.indices.filter(verdict.isSpared)
            .map { limits[$0] }
            .filter { policies[$0].isShadow }
    }

    /// Whether the response waits for the disk.
    var isDurable: Bool { limits.contains { $0.definition.isDurable } }

    /// Whether each key occurs once. A key that occurs twice would be counted twice but refunded by
    /// one moment.
    var hasDistinctKeys: Bool {
        requests.count == 1 || Set(requests.map(\.key)).count == requests.count
    }

    /// The keys that were charged: without limits in shadow mode that would have refused, and with
    /// the shared bucket's key for a subject without its own state.
    func charged(_ verdict: LimitVerdict, in table: LimitTable) -> [LimitKey] {
        return requests.indices.filter { !verdict.isSpared($0) }.map { place in
            let key = requests[place].key
            return verdict.isShared(place) ? table.shards.sharedBucketKey(of: key) : key
        }
    }
}

/// The limits that a batch is charged to: those of known devices, and those of the alarm while it
/// is on.
extension LimitsHandler {
    /// - Parameter source: the origin of the subjects; nil if unknown.
    /// - Throws: `rpc/invalid-argument` if a subject occurs twice.
    func plan(
        _ charges: [RequestedCharge], namedBy source: SubjectSource? = nil, at now: Timestamp
    ) throws -> ChargePlan {
        let policies = policies.value
        let ring = subjects.ring
        var plan = ChargePlan(under: ring.number)
        func add(_ limit: LimitName, _ subject: String) {
            let key = subjects.key(limit, subject, policies.rule(limit), ring, at: now)
            plan.add(limit, key, policies)
        }
        for charge in charges {
            let lane = lane(of: charge, at: now)
            add(lane.limit, lane.subject)
            guard lane.limit == TrustedLane.ofStrangers, !plan.isByStranger else { continue }
            plan.isByStranger = true
            add(.failedSignInInARow, lane.subject)
        }
        guard plan.hasDistinctKeys else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        if plan.isByStranger {
            if let source { add(.signInFailuresBySite, source.subject) }
            if isAlarmed(policies, at: now) {
                add(.signInWithoutHistory, TrustedLane.everybody)
                if let source { add(.signInWithoutHistoryBySite, source.subject) }
            }
        }
        if let source, plan.namesNew(in: table) { add(source.newSubjects, source.subject) }
        return plan
    }

    /// Plans and decides. Starts over if another secret became current in between, which is rare.
    /// - Parameter decide: returns nil for a retry, for which no decision is made.
    /// - Throws: `rpc/invalid-argument` as `plan`, and the errors of `decide`.
    func decide(
        _ charges: [RequestedCharge], namedBy source: SubjectSource? = nil, at now: Timestamp,
        _ decide: (ChargePlan) throws -> LimitVerdict?
    ) throws -> (plan: ChargePlan, verdict: LimitVerdict?) {
        while true {
            let plan = try plan(charges, namedBy: source, at: now)
            let verdict = try decide(plan)
            if verdict?.isStale != true { return (plan, verdict) }
        }
    }

    /// Decides on a plan, unless its secret is no longer the current one.
    func decide(_ operation: BatchOperation, _ plan: ChargePlan, at now: Timestamp) -> LimitVerdict
    {
        table.decide(operation, plan.requests, at: now, under: plan.secret)
    }

    private func isAlarmed(_ policies: LimitPolicies, at now: Timestamp) -> Bool {
        let policy = policies[.signInFailuresOverall]
        guard !policy.isShadow else { return false }
        return alarm.withLock { $0.isOn(at: now, CredentialStuffingRule(policy.rule)) }
    }
}
