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
        requests.append(
            LimitRequest(
                key: key, rule: policies.rule(limit), isShadow: policies[limit].isShadow))
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
