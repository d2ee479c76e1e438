import Addresses
import Contracts
import IdentityService
import ServiceRuntime
import Storage

/// The mails about a deletion. They go to verified addresses only: another one may belong to a
/// person who has nothing to do with the account.
struct DeletionMail: AccountWriting, Sendable {
    /// The last mail is not sent later than this after the account is deleted.
    static let lastMailLife: Duration = .seconds(24 * 3_600)

    let settings: IdentitySettings
    let writer: AccountWriter

    /// Mails that the deletion waits, with a link that cancels it.
    /// - Returns: the keyed hash of the link; nil if no mail is sent.
    func scheduled(
        _ deletion: StoredDeletion, _ transaction: Transaction
    ) throws -> [UInt8]? {
        guard let row = try transaction.account(deletion.account),
            row.address?.provedAt != nil,
            let mail = try LinkMail(
                .keepAccount, .drawn(from: randomness), to: row, settings, writer,
                at: transaction.at, until: deletion.dueAt)
        else { return nil }
        try transaction.enqueue(mail.message)
        return mail.link.tokenHash
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
