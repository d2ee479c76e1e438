import NIOCore
import ServiceRuntime

/// What a misused stream or a broken rule costs a client's call and its connection.
extension ClientConnection: StreamConnection {
    /// A server that breaks the protocol is left.
    func violated(_ message: String) -> Bool {
        context?.close(promise: nil)
        return false
    }

    /// A call that the machine holds over: the server is told, and the call ends.
    func stop(_ call: UInt64, _ pending: PendingCall?, _ error: ServiceError) {
        if let pending { abandon(call, pending, error) }
        ended()
    }
}
