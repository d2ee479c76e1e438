import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDataHandler {
    /// Deletes an account's devices and the suppression of its addresses and numbers, and strips
    /// its messages. A stripped row is the record of its call and is purged after 7 days: a
    /// repeat of the call must not send the message again. It fails while a reader or a backup
    /// holds the store's log, and can be repeated.
    func forgetAccountData(
        _ request: AccountDataV1.ForgetAccountDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ForgetAccountDataResponse {
        try context.requireIdentity()
        let rows = try await forget(try AccountDataSubject(request.subject))
        return AccountDataV1.ForgetAccountDataResponse(rows: UInt32(clamping: rows))
    }

    /// Messages stripped in one transaction.
    private static let strippedAtOnce = 500

    /// Also for `Outbox.ForgetAccount`, the operator's call, which names the account only.
    /// - Returns: how many rows were deleted or changed.
    func forget(_ subject: AccountDataSubject) async throws -> Int {
        let hash = keys.account(subject.account)
        var rows = 0
        while true {
            let stripped = try await store.write(about: [.hash(hash)]) { transaction in
                try transaction.forgetMessages(ofAccount: hash, limit: Self.strippedAtOnce)
            }
            acceptance.giveBack(stripped.unsent)
            rows += stripped.count
            if stripped.count < Self.strippedAtOnce { break }
        }
        let addresses = subject.emails.compactMap { MailAddress($0) }
            .flatMap(keys.suppressionHashes)
        let numbers = subject.phoneNumbers.map { keys.recipient(Array($0.utf8)) }
        rows += try await store.write(about: [.hash(hash)]) { transaction in
            let devices = try transaction.dropDevices(ofAccount: hash)
            let suppressed = try transaction.forgetSuppression(addresses, numbers)
            try transaction.audit(AuditEvent(.messagesForgotten, account: subject.account.key))
            return devices + suppressed
        }
        // Until then the deleted data remains in the log. The call can be repeated. Not
        // `log.truncate()`, which returns while another truncation is still in progress.
        log.recordDeletion()
        try await store.truncateLog()
        return rows
    }
}
