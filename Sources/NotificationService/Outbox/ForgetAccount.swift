import Contracts
import Messages
import RPC
import ServiceRuntime

extension OutboxHandler {
    /// Erases an account's messages and devices: the operator's call. It does the same as
    /// `AccountData.ForgetAccountData` for an account whose addresses are not known.
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
        _ = try await accountData.forget(AccountDataSubject(account))
        return NotificationV1.ForgetAccountResponse()
    }
}
