package import Contracts
import Synchronization

/// How one limit is applied now.
package struct LimitPolicy: Hashable, Sendable {
    /// How much is allowed.
    package let rule: LimitRule
    /// Counted and reported in the metrics, but not enforced: to test a rule before it takes
    /// effect.
    package let isShadow: Bool
}

/// The policies of all limits, read and replaced as a whole: the operator's file, and for other
/// limits the rules of their rows (`LimitDefinition`).
package struct LimitPolicies: Equatable, Sendable {
    /// The policies without a file.
    package static let standard = LimitPolicies { LimitPolicy(rule: $0.rule, isShadow: false) }

    private let policies: [LimitPolicy]
    /// The same rules in the form for decisions.
    private let counting: [CountingRule]

    /// Creates the policies that `policy` returns.
    init(_ policy: (LimitName) -> LimitPolicy) {
        var policies = [LimitPolicy](
            repeating: policy(.failedSignInByDevice), count: LimitName.numberEnd)
        for limit in LimitName.allCases { policies[Int(limit.number)] = policy(limit) }
        self.policies = policies
        counting = policies.map { CountingRule($0.rule) }
    }

    /// The policy of a limit.
    package subscript(limit: LimitName) -> LimitPolicy { policies[Int(limit.number)] }

    /// A limit's rule in the form for decisions.
    func rule(_ limit: LimitName) -> CountingRule { counting[Int(limit.number)] }

    /// Whether both have the same policies.
    package static func == (left: LimitPolicies, right: LimitPolicies) -> Bool {
        left.policies == right.policies
    }
}

/// The current policies, replaced as a whole while calls read them.
///
/// Not `Reloadable<LimitPolicies>`, which is generic in another module: each call would look up the
/// type of its lock, which costs a third of the decision.
package final class CurrentPolicies: Sendable {
    private let held: Mutex<LimitPolicies>

    /// Starts with `policies`.
    package init(_ policies: LimitPolicies) {
        held = Mutex(policies)
    }

    /// All of them.
    package var value: LimitPolicies { held.withLock { $0 } }

    /// Makes `policies` the current ones.
    package func replace(_ policies: LimitPolicies) {
        held.withLock { $0 = policies }
    }
}
