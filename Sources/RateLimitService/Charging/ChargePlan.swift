import ServiceRuntime

/// What a batch is charged to.
struct ChargePlan: Sendable {
    private(set) var limits: [LimitName] = []
    private(set) var requests: [LimitRequest] = []
    /// Whether somebody signs in on an account from a device that it is not known by.
    var isByStranger = false

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
    var isSound: Bool { Set(requests.map(\.key)).count == requests.count }

    /// What has been charged: not those in shadow that would have been refused.
    func charged(_ verdict: LimitVerdict) -> [LimitKey] {
        requests.indices.filter { verdict.shadowLimited & 1 << UInt32($0) == 0 }
            .map { requests[$0].key }
    }
}
