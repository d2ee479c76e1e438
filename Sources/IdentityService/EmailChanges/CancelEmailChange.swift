import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Cancels the pending email change of the caller's account (G-12). It needs no recent proof,
    /// because it changes nothing that is in force. But a caller who has lost the account must not
    /// block its owner's email change, so the session must not have ended (`SessionsEnd`).
    /// - Throws: as `SessionOwners.owner`; `auth/idempotency-key-reused`.
    func cancelEmailChange(
        _ request: IdentityV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.CancelEmailChangeResponse {
        let owner = try await owners.owner(of: request.accessToken, context)
        let account = owner.account
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let call = try RepeatableCall(
            "CancelEmailChange", [Array(account.text.utf8)], context, hash: keys.calls)
        let isCancelled = try await store.write(about: [.account(account)]) { transaction in
            try transaction.requireLive(owner)
            if let first = try transaction.storedResponse(of: call) { return first.done }
            let isCancelled = try transaction.removeEmailChange(of: account)
            // A call that changes nothing stores nothing either. Attack: a guest that cancels without
            // end, each time with another key, fills the disk.
            guard isCancelled else { return false }
            try transaction.audit(.emailChangeCancelled, account, from: origin)
            try transaction.remember(call, .init(account: account.key, done: true))
            return true
        }
        return IdentityV1.CancelEmailChangeResponse(cancelled: isCancelled)
    }
}
