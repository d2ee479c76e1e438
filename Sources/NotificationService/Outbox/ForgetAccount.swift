import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// Messages erased in one transaction.
    private static let forgottenAtOnce = 500

    /// Erases an account's messages and devices.
    /// - Throws: `rpc/permission-denied` unless the caller is identity or the operator;
    ///   `rpc/invalid-argument` for a malformed account id; `rpc/unavailable` when a reader or a
    ///   backup holds the store's log; other store errors. The call can be repeated.
    func forgetAccount(
        _ request: NotificationV1.ForgetAccountRequest, _ context: CallContext
    ) async throws -> NotificationV1.ForgetAccountResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        let hash = keys.account(account)
        while try await store.write(
            about: [.hash(hash)],
            { transaction in
                try transaction.forgetMessages(ofAccount: hash, limit: Self.forgottenAtOnce)
            }) == Self.forgottenAtOnce
        {}
        try await store.write(about: [.hash(hash)]) { transaction in
            _ = try transaction.dropDevices(ofAccount: hash)
            try transaction.audit(AuditEvent(.messagesForgotten, account: account.key))
        }
        // Until then the deleted data remains in the log. The call can be repeated.
        try await delivery.maintenance.wipe()
        return NotificationV1.ForgetAccountResponse()
    }
}
