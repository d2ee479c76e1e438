import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// A public call in a session, which the gateway passes on: whose it is, as the access token of the
/// metadata says.
struct SessionCall: Sendable {
    /// Ours, expired or not: `DevicesHandler.liveSession` judges it in the rpc's transaction, after a
    /// repeat has been looked up, since the call may end its own session (G-25).
    let token: AccessToken
    /// For the store's memory of repeats; nil without an idempotency key.
    let repeatable: RepeatableCall?
    /// Where it comes from, for the audit trail.
    let origin: CallOrigin
}

extension DevicesHandler {
    /// Reads whose call it is.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway; as `caller`.
    func call(
        _ method: MethodDescription, _ request: (any ProtobufMessage)?, _ context: CallContext
    ) async throws -> SessionCall {
        try context.requireGateway()
        let token = try caller(context.requiredAccessToken())
        // By the session and not its account: in another session the call acts on other ones.
        let repeatable = try RepeatableCall(
            method.rpcName, of: method.name, by: token.session.text,
            request: request?.repeatedPart.encoded() ?? [], context, hash: keys.calls)
        return SessionCall(
            token: token, repeatable: repeatable,
            origin: CallOrigin(RelayedOrigin(context), hash: keys.audit))
    }
}
