import CallRecords
import RPC
import ServiceRuntime

extension CallContext {
    /// The applications that know accounts, and when one's sessions must end.
    static let accountKeepers: Set<String> = ["identity"]

    /// Lets only identity and the operator's tool go on: a gateway that was taken over must not
    /// sign out everybody whose id it has seen, and lock them out until `before_ms`.
    /// - Throws: `rpc/permission-denied`.
    func requireAccountKeeper() throws(ServiceError) {
        guard Self.accountKeepers.union(Self.operators).contains(application) else {
            throw ServiceError(.permissionDenied)
        }
    }
}
