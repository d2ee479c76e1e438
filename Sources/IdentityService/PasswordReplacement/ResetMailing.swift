import CallRecords
import Cryptography
import ServiceRuntime
import Storage

/// Mails the link that `ResetRequest` took on, where the address has an account that may sign in:
///
///     account           link and mail                                   audit trail
///     none              none                                            counted by network
///     active, pending   a new one, to the stored address, never to      asked for, mailed
///                       what was typed; the former are void
///     any other         none                                            asked for
///
/// The outbox hands a wish over at least once; what is remembered of it keeps a second link, which
/// would void the first one in a mail that is on its way, from being made.
struct ResetMailing: Sendable {
    let parts: IdentityParts

    /// Returns once it is done, now or before.
    func run(_ message: OutboxMessage) async throws {
        let wish = ResetWish(message.payload)
        let key = parts.keys.calls.lookUpKey(Array("reset mailing\0\(message.key)".utf8))
        let token = LinkToken.drawn(from: parts.randomness)
        try await parts.store.write { transaction in
            guard case .fresh = try transaction.remembered(key: key, fingerprint: key) else {
                return
            }
            guard let owner = try transaction.owner(ofAddress: wish.lookUpKey),
                let row = try transaction.account(owner)
            else { return try transaction.auditCounted(.passwordResetRequested, from: wish.origin) }
            try transaction.audit(
                AuditEvent(
                    .passwordResetRequested, account: owner.key, subject: wish.subject
                ).from(wish.origin))
            try transaction.remember(key: key, fingerprint: key, answer: [])
            guard row.status.mayVerify,
                let mail = try LinkMail(
                    .resetPassword, token, to: row, parts, at: transaction.at)
            else { return }
            try transaction.send(mail)
            try transaction.audit(AuditEvent(.passwordResetMailed, account: owner.key))
        }
    }
}
