import Cryptography
import ServiceRuntime
import Storage

/// Mails the link for a request that `ResetRequest` accepted, if the address has an account that
/// may sign in:
///
///     account           link and mail                                   audit log
///     none              none                                            counted by network
///     active, pending   a new link to the stored address, never to      requested, mailed
///                       the entered one; earlier links become void
///     any other         none                                            requested
///
/// The outbox delivers at least once. The stored response prevents a second link, which would void
/// the first one while its mail is in transit.
struct ResetMailing: Sendable {
    let parts: IdentityParts

    /// Returns when the request has been processed, by this delivery or an earlier one.
    /// - Throws: `SQLError`, or the error of building the mail; the outbox then retries.
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
