import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Deletes all rows of an account that is being deleted, in one transaction. With its row in
    /// `account_keys` what backups have of it becomes unreadable to whoever has no copy of that row.
    ///
    /// It is the last step of a deletion: grants must have been revoked and the other services must
    /// have forgotten the account before, since what they need to know is deleted here.
    /// - Throws: `rpc/permission-denied` unless identity calls; `rpc/invalid-argument`;
    ///   `auth/operation-not-allowed` for an account that is not being deleted; errors of the
    ///   store. The call can be repeated.
    package func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        let rows = try await store.write(about: [.account(account)]) { transaction in
            guard let standing = try transaction.standing(account) else { return 0 }
            guard standing.isDeleting else {
                throw ServiceError(.operationNotAllowed, detail: "the account is not being deleted")
            }
            return try transaction.deleteAccount(account)
        }
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: rows))
    }
}

/// The rows of an account, each table before those that it refers to.
private let deletions = [
    "DELETE FROM links WHERE account = ?",
    "DELETE FROM email_changes WHERE account = ?",
    "DELETE FROM claims WHERE account = ?",
    "DELETE FROM phone_codes WHERE account = ?",
    "DELETE FROM notices WHERE account = ?",
    "DELETE FROM known_devices WHERE account = ?",
    "DELETE FROM suspensions WHERE account = ?",
    "DELETE FROM removed_identities WHERE account = ?",
    "DELETE FROM identities WHERE account = ?",
    "DELETE FROM imported_accounts WHERE account = ?",
    "DELETE FROM custom_claims WHERE account = ?",
    "DELETE FROM passwords WHERE account = ?",
    "DELETE FROM email_addresses WHERE account = ?",
    "DELETE FROM profiles WHERE account = ?",
    "DELETE FROM account_keys WHERE account = ?",
    "DELETE FROM accounts WHERE account = ?",
]

extension Transaction {
    /// - Returns: how many rows were deleted.
    fileprivate func deleteAccount(_ account: AccountID) throws -> Int {
        try deletions.reduce(0) { try $0 + execute($1, [.integer(account.key)]) }
    }
}
