import Contracts
import ServiceRuntime

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
            limits[place].room == .text && !table.holds(requests[place].key)
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
            && verdict.shadowLimited & 1 << UInt32(place) == 0
    }

    /// The limits in the operator's shadow mode that would have refused. The limit that only counts
    /// towards the alarm is not reported: no operator is testing it, and it never refuses.
    func shadowHits(_ verdict: LimitVerdict, _ policies: LimitPolicies) -> [LimitName] {
        limits.indices.filter { verdict.shadowLimited & 1 << UInt32($0) != 0 }
            .map { limits[$0] }
            .filter { policies[$0].isShadow }
    }

    /// Whether the response waits for the disk.
    var isDurable: Bool { limits.contains { $0.definition.isDurable } }

    /// Whether each key occurs once. A key that occurs twice would be counted twice but refunded by
    /// one moment.
    var isSound: Bool {
        requests.count == 1 || Set(requests.map(\.key)).count == requests.count
    }

    /// The keys that were charged: without limits in shadow mode that would have refused, and with
    /// the pool's key for a subject without its own state.
    func charged(_ verdict: LimitVerdict, in table: LimitTable) -> [LimitKey] {
        func isSet(_ bits: UInt32, _ place: Int) -> Bool { bits & 1 << UInt32(place) != 0 }
        return requests.indices.filter { !isSet(verdict.shadowLimited, $0) }.map { place in
            let key = requests[place].key
            return isSet(verdict.pooled, place) ? table.stripes.poolKey(of: key) : key
        }
    }
}
