/// How one limit is applied now.
package struct LimitPolicy: Hashable, Sendable {
    /// How much is allowed.
    package let rule: LimitRule
    /// Counted and told of in the metrics, but not enforced: to try a rule before it hurts.
    package let isShadow: Bool
}

/// The policies of all limits, read whole and exchanged whole: what the operator's file says, and
/// for the rest what `LimitDefinition` has.
package struct LimitPolicies: Hashable, Sendable {
    /// What holds without a file.
    package static let standard = LimitPolicies { LimitPolicy(rule: $0.rule, isShadow: false) }

    private let policies: [LimitPolicy]
    /// The same rules in the form that decisions are made with.
    private let counting: [CountingRule]

    /// The policies that `policy` gives.
    init(_ policy: (LimitName) -> LimitPolicy) {
        var policies = [LimitPolicy](
            repeating: policy(.failedSignInByDevice), count: LimitName.allCases.count + 1)
        for limit in LimitName.allCases { policies[Int(limit.number)] = policy(limit) }
        self.policies = policies
        counting = policies.map { CountingRule($0.rule) }
    }

    /// The policy of a limit.
    package subscript(limit: LimitName) -> LimitPolicy { policies[Int(limit.number)] }

    /// A limit's rule as it is counted with.
    func rule(_ limit: LimitName) -> CountingRule { counting[Int(limit.number)] }

    /// Whether a limit is in shadow.
    func isShadow(_ limit: LimitName) -> Bool { policies[Int(limit.number)].isShadow }

    /// Whether both say the same.
    package static func == (left: LimitPolicies, right: LimitPolicies) -> Bool {
        left.policies == right.policies
    }

    /// Hashes what they say.
    package func hash(into hasher: inout Hasher) { hasher.combine(policies) }
}
