package import RPC
package import ServiceRuntime

extension CallContext {
    /// The applications that are the operator.
    package static let operators: Set<String> = ["tool"]

    /// Lets only the operator's tool go on, whatever the list of callers says: a gateway that was
    /// taken over must neither change signing keys, nor use up the room for subjects' secrets, nor say that
    /// a wrong clock is right.
    /// - Throws: `rpc/permission-denied`.
    package func requireOperator() throws(ServiceError) {
        guard Self.operators.contains(application) else { throw ServiceError(.permissionDenied) }
    }
}
