import RPC
import ServiceRuntime

extension CallContext {
    /// The applications that are the operator.
    static let operators: Set<String> = ["tool"]

    /// Lets only the operator's tool go on, whatever the list of callers says: a gateway that was
    /// taken over must neither change signing keys nor say that a wrong clock is right.
    /// - Throws: `rpc/permission-denied`.
    func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }
}
