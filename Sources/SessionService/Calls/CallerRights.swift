import RPC
import ServiceRuntime

extension CallContext {
    /// The applications that are the operator.
    static let operators: Set<String> = ["tool"]
    /// The applications that know accounts, and when one's sessions must end.
    static let accountKeepers: Set<String> = ["identity"]

    /// Lets only the operator's tool go on, whatever the list of callers says: a gateway that was
    /// taken over must neither change signing keys nor say that a wrong clock is right.
    /// - Throws: `rpc/permission-denied`.
    func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }

    /// Lets only identity and the operator's tool go on: a gateway that was taken over must not
    /// sign out everybody whose id it has seen, and lock them out until `before_ms`.
    /// - Throws: `rpc/permission-denied`.
    func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.union(Self.operators).contains(application) else {
            throw ServiceError(.permissionDenied)
        }
    }
}
