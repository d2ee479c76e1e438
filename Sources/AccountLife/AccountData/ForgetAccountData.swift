import Contracts
import IdentityService
package import Messages
import PersonalData
package import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Deletes all rows of an account that is being deleted, in one transaction. With its row in
    /// `account_keys` what backups have of it becomes unreadable without a copy of that row. The
    /// files of photo and export are removed after the commit.
    ///
    /// It is the last step of a deletion: grants must have been revoked and the other services must
    /// have forgotten the account before, since what they need to know is deleted here.
    package func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let account = try AccountDataSubject(request.subject).account
        let deleted = try await store.write(about: [.account(account)]) { transaction in
            guard let standing = try transaction.standing(account) else {
                return DeletedAccount(rows: 0, files: [])
            }
            guard standing.isDeleting else {
                throw ServiceError(.operationNotAllowed, detail: "the account is not being deleted")
            }
            let files = [
                try transaction.photo(of: account)?.blob, try transaction.exportFile(of: account),
            ]
            return DeletedAccount(
                rows: try transaction.deleteAccount(account), files: files.compactMap(\.self))
        }
        // If this fails, the sweep removes the files.
        try await blobs.remove(deleted.files)
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: deleted.rows))
    }
}

/// What a deletion has deleted.
private struct DeletedAccount: Sendable {
    let rows: Int
    /// The files of photo and export, which are still there.
    let files: [BlobName]
}

extension Transaction {
    /// Deletes the rows of an account, each table's before those that they refer to. Also for rows
    /// of an account that does not exist (`OrphanRepair`).
    /// - Returns: how many.
    func deleteAccount(_ account: AccountID) throws -> Int {
        let key: [SQLValue] = [.integer(account.key)]
        var rows = 0
        // The guests of its migrations are being deleted since the step `content`.
        try endMigration(ofGuest: account)
        rows += try execute("DELETE FROM guest_migration_documents WHERE account = ?", key)
        rows += try execute("DELETE FROM guest_migrations WHERE account = ?", key)
        rows += try execute("DELETE FROM links WHERE account = ?", key)
        rows += try execute("DELETE FROM email_changes WHERE account = ?", key)
        rows += try execute("DELETE FROM claims WHERE account = ?", key)
        try lockPhoneCodes(of: account)
        rows += try execute("DELETE FROM phone_codes WHERE account = ?", key)
        rows += try execute("DELETE FROM sign_in_challenges WHERE account = ?", key)
        rows += try execute("DELETE FROM notices WHERE account = ?", key)
        rows += try execute("DELETE FROM second_factors WHERE account = ?", key)
        rows += try execute("DELETE FROM recovery_codes WHERE account = ?", key)
        rows += try execute("DELETE FROM passkeys WHERE account = ?", key)
        rows += try execute("DELETE FROM known_devices WHERE account = ?", key)
        rows += try execute("DELETE FROM sign_in_memory WHERE account = ?", key)
        rows += try execute("DELETE FROM suspensions WHERE account = ?", key)
        rows += try execute("DELETE FROM removed_identities WHERE account = ?", key)
        rows += try execute("DELETE FROM identities WHERE account = ?", key)
        rows += try execute("DELETE FROM imported_accounts WHERE account = ?", key)
        rows += try execute("DELETE FROM custom_claims WHERE account = ?", key)
        rows += try execute("DELETE FROM passwords WHERE account = ?", key)
        rows += try execute("DELETE FROM email_addresses WHERE account = ?", key)
        rows += try execute("DELETE FROM documents WHERE account = ?", key)
        rows += try execute("DELETE FROM document_totals WHERE account = ?", key)
        rows += try recordDocumentChanges(of: account)
        rows += try execute("DELETE FROM consents WHERE account = ?", key)
        rows += try execute("DELETE FROM exports WHERE account = ?", key)
        rows += try execute("DELETE FROM parental_consents WHERE account = ?", key)
        rows += try execute("DELETE FROM photos WHERE account = ?", key)
        rows += try execute("DELETE FROM profiles WHERE account = ?", key)
        rows += try execute("DELETE FROM account_keys WHERE account = ?", key)
        rows += try execute("DELETE FROM accounts WHERE account = ?", key)
        return rows
    }
}
