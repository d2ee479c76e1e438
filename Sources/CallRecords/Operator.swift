package import RPC
package import ServiceRuntime

extension CallContext {
    /// The applications that are the operator.
    package static let operators: Set<String> = ["tool"]
    /// The applications that know accounts: when one's sessions must end, and when it is gone.
    private static let accountKeepers: Set<String> = operators.union(["identity"])

    /// Lets only the operator's tool go on, whatever the list of callers says. A gateway that was
    /// taken over must neither change signing keys, nor use up the room for subjects' secrets, nor
    /// say that a wrong clock is right; identity, which may send messages, must neither read who is
    /// sent what nor call messages back.
    /// - Throws: `rpc/permission-denied`.
    package func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }

    /// Lets only identity and the operator's tool go on: a gateway that was taken over must not
    /// sign out everybody whose id it has seen, and lock them out.
    /// - Throws: `rpc/permission-denied`.
    package func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.contains(application) else {
            throw ServiceError(.permissionDenied)
        }
    }
}
