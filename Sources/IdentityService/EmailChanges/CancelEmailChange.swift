import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Cancels the pending email change of the caller's account (G-12). It needs no recent proof,
    /// because it changes nothing that is in force. But a caller who has lost the account must not
    /// block its owner's email change, so the session must not have ended (`SessionsEnd`).
    func cancelEmailChange(
        _ request: GatewayV1.CancelEmailChangeRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.CancelEmailChangeResponse {
        let (account, frame) = (call.owner.account, call.frame)
        let isCancelled = try await store.write(about: [.account(account)]) { transaction in
            try transaction.requireLive(call.owner)
            if let first = try transaction.storedResponse(of: frame.repeatable) {
                return first.done
            }
            let isCancelled = try transaction.removeEmailChange(of: account)
            // A call that changes nothing stores nothing either. Attack: a guest that cancels
            // without end, each time with another key, fills the disk.
            guard isCancelled else { return false }
            try transaction.audit(.emailChangeCancelled, account, from: frame.origin)
            try transaction.remember(frame.repeatable, .init(account: account.key, done: true))
            return true
        }
        return GatewayV1.CancelEmailChangeResponse(cancelled: isCancelled)
    }
}

extension GatewayV1.CancelEmailChangeRequest: DeviceRequest {}
