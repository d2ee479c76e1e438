import Synchronization

/// The policies that hold now, exchanged whole while calls read them.
///
/// Not `Live<LimitPolicies>`, which is generic in another module: each call would look the type of
/// its lock up, which costs as much as a third of the decision.
package final class PoliciesInForce: Sendable {
    private let held: Mutex<LimitPolicies>

    /// Begins with `policies`.
    package init(_ policies: LimitPolicies) {
        held = Mutex(policies)
    }

    /// All of them.
    package var value: LimitPolicies { held.withLock { $0 } }

    /// How one limit is applied: its rule as it is counted with, and whether in shadow.
    func policy(_ limit: LimitName) -> (rule: CountingRule, isShadow: Bool) {
        held.withLock { ($0.rule(limit), $0.isShadow(limit)) }
    }

    /// Puts `policies` into force.
    package func replace(_ policies: LimitPolicies) {
        held.withLock { $0 = policies }
    }
}
