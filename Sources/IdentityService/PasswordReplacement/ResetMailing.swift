import Cryptography
import ServiceRuntime
import Storage

/// Mails the link that `ResetRequest` took on, where the address has an account that may sign in:
///
///     account           link and mail
///     none              none
///     active, pending   a new one, to the stored address, never to what was typed; the former are
///                       void
///     any other         none
///
/// The outbox hands a wish over at least once; what is remembered of it keeps a second link, which
/// would void the first one in a mail that is on its way, from being made.
struct ResetMailing: Sendable {
    let parts: IdentityParts

    /// Returns once it is done, now or before.
    func run(_ wish: OutboxMessage) async throws {
        let key = parts.keys.calls.lookUpKey(Array("reset mailing\0\(wish.key)".utf8))
        let token = LinkToken.drawn(from: parts.randomness)
        try await parts.store.write { transaction in
            guard case .fresh = try transaction.remembered(key: key, fingerprint: key),
                let owner = try transaction.owner(ofAddress: wish.payload),
                let row = try transaction.account(owner),
                row.status.mayVerify,
                let mail = try LinkMail(
                    .resetPassword, token, to: row, parts, at: transaction.at)
            else { return }
            try transaction.send(mail)
            try transaction.audit(AuditEvent(.passwordResetMailed, account: owner.key))
            try transaction.remember(key: key, fingerprint: key, answer: [])
        }
    }
}
