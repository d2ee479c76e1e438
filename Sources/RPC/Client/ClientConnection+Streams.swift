import NIOCore
import ServiceRuntime

/// How a client handles misuse of a stream and protocol violations.
extension ClientConnection: StreamConnection {
    /// Closes the connection to a server that violates the protocol.
    func violated(_ message: String) -> Bool {
        context?.close(promise: nil)
        return false
    }

    /// Ends a call that has ended in the machine: the server is notified and the call fails.
    func stop(_ call: UInt64, _ pending: PendingCall?, _ error: ServiceError) {
        if let pending { abandon(call, pending, error) }
        ended()
    }
}
