import Contracts
import Synchronization

/// The current policies, replaced as a whole while calls read them.
///
/// Not `Reloadable<LimitPolicies>`, which is generic in another module: each call would look up the
/// type of its lock, which costs a third of the decision.
package final class PoliciesInForce: Sendable {
    private let held: Mutex<LimitPolicies>

    /// Starts with `policies`.
    package init(_ policies: LimitPolicies) {
        held = Mutex(policies)
    }

    /// All of them.
    package var value: LimitPolicies { held.withLock { $0 } }

    /// How one limit is applied: its rule in the form for decisions, and whether it is in shadow
    /// mode.
    func policy(_ limit: LimitName) -> (rule: CountingRule, isShadow: Bool) {
        held.withLock { ($0.rule(limit), $0.isShadow(limit)) }
    }

    /// Makes `policies` the current ones.
    package func replace(_ policies: LimitPolicies) {
        held.withLock { $0 = policies }
    }
}
