package import ServiceRuntime

extension CallContext {
    /// The applications of the operator: they may call operators' rpcs, and use the admin lane.
    package static let operators: Set<String> = ["tool"]
    /// The applications that manage accounts: they end an account's sessions and delete its data.
    private static let accountKeepers: Set<String> = operators.union(["identity"])

    /// Admits only the operator's tool, whatever the callers list says. A compromised gateway must
    /// not change signing keys, use up the capacity for subjects' secrets, or accept a wrong clock.
    /// Identity, which may send messages, must not read who receives which message or cancel
    /// messages.
    /// - Throws: `rpc/permission-denied`.
    package func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }

    /// Admits only identity and the operator's tool: a compromised gateway must not end all
    /// sessions of the accounts whose ids it has seen and lock their users out.
    /// - Throws: `rpc/permission-denied`.
    package func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.contains(application) else {
            throw ServiceError(.permissionDenied)
        }
    }
}
