import ServiceRuntime

/// What a batch is charged to.
struct ChargePlan: Sendable {
    /// The number of the secret that its keys were made under.
    let secret: Int64
    private(set) var limits: [LimitName] = []
    private(set) var requests: [LimitRequest] = []
    /// Whether somebody signs in on an account from a device that it is not known by.
    var isByStranger = false

    init(under secret: Int64) {
        self.secret = secret
    }

    mutating func add(_ limit: LimitName, _ key: LimitKey, _ policies: LimitPolicies) {
        limits.append(limit)
        // What only counts towards the alarm refuses nobody.
        let isShadow = limit == .signInFailuresBySite || policies[limit].isShadow
        requests.append(
            LimitRequest(key: key, rule: policies.rule(limit), isShadow: isShadow))
    }

    /// Whether a text that strangers name is among the subjects, and nothing is counted on it yet.
    func namesNew(in table: LimitTable) -> Bool {
        limits.indices.contains { place in
            limits[place].room == .text && !table.holds(requests[place].key)
        }
    }

    /// What an attempt that the narrow lanes refuse is charged to all the same: its address. Whoever
    /// goes on trying while the alarm lasts then stops being counted towards it.
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

    /// Whether a verdict on it charged its site with an attempt towards the alarm.
    func isCountedTowardsAlarm(_ verdict: LimitVerdict) -> Bool {
        guard let place = limits.firstIndex(of: .signInFailuresBySite) else { return false }
        return !verdict.isLimited && !verdict.isStale
            && verdict.shadowLimited & 1 << UInt32(place) == 0
    }

    /// The limits in the operator's shadow that would have refused. What only counts towards the alarm
    /// is none of them: nobody is trying it out, and it would never refuse.
    func shadowHits(_ verdict: LimitVerdict, _ policies: LimitPolicies) -> [LimitName] {
        limits.indices.filter { verdict.shadowLimited & 1 << UInt32($0) != 0 }
            .map { limits[$0] }
            .filter { policies[$0].isShadow }
    }

    /// Whether an answer waits for the disk.
    var isDurable: Bool { limits.contains { $0.definition.isDurable } }

    /// Whether each subject is there once: one that is charged twice in a batch would be counted
    /// twice but refunded by one moment.
    var isSound: Bool {
        requests.count == 1 || Set(requests.map(\.key)).count == requests.count
    }

    /// What has been charged: not those in shadow that would have been refused, and the pool where
    /// there was no room.
    func charged(_ verdict: LimitVerdict, in table: LimitTable) -> [LimitKey] {
        func isSet(_ bits: UInt32, _ place: Int) -> Bool { bits & 1 << UInt32(place) != 0 }
        return requests.indices.filter { !isSet(verdict.shadowLimited, $0) }.map { place in
            let key = requests[place].key
            return isSet(verdict.pooled, place) ? table.stripes.poolKey(of: key) : key
        }
    }
}
