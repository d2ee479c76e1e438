import RPC
import ServiceRuntime

extension CallContext {
    /// The applications that are the operator.
    private static let operators: Set<String> = ["tool"]
    /// The applications that know when an account is gone.
    private static let accountKeepers: Set<String> = ["identity", "tool"]

    /// Lets only the operator's tool go on, whatever the list of callers says: identity, which may
    /// send messages, must neither read who is sent what nor call messages back.
    /// - Throws: `rpc/permission-denied`.
    func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }

    /// Lets only identity and the operator's tool go on.
    /// - Throws: `rpc/permission-denied`.
    func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.contains(application) else {
            throw ServiceError(.permissionDenied)
        }
    }
}
