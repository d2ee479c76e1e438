import Addresses
import Contracts
import IdentityService
import ServiceRuntime
import Storage

/// The notices about a deletion. The last mail goes to a verified address only: another one may
/// belong to a person who has nothing to do with the account.
struct DeletionMail: AccountWriting, Sendable {
    /// The last mail is not sent later than this after the account is deleted.
    static let lastMailLife: Duration = .seconds(24 * 3_600)

    let settings: IdentitySettings
    let writer: AccountWriter

    /// Tells that the deletion waits, with a link that cancels it in a mail to a verified address.
    /// - Returns: nil if the owner could not be told.
    func scheduled(
        _ deletion: StoredDeletion, _ transaction: Transaction
    ) throws -> ScheduledNotice? {
        try notices.deletionScheduled(
            deletion.account, due: deletion.dueAt, origin: settings.linkOrigin, transaction)
    }

    /// The last mail: it names no account, and it ends with its expiry.
    func done(_ payload: DeletionPayload, _ transaction: Transaction) throws {
        guard payload.isEmailProved, let address = EmailAddress(payload.email) else { return }
        try transaction.enqueue(
            outbox.email(
                Mail(.deletionDone), of: nil, to: address.mailbox, language: payload.language,
                expiresAt: transaction.at + Self.lastMailLife, key: outbox.newKey()))
    }
}
