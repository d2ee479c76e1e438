import Addresses
import ServiceRuntime
import Storage

/// A link and the mail that carries it, to an account's stored address (G-11, G-12). Never to an
/// address from the request: even if normalisation made `mıke` match the account of `mike`, the
/// mail must not go to `mıke`.
struct LinkMail: Sendable {
    let link: NewLink
    let message: OutboxMessage

    /// - Returns: nil for an account without an address.
    init?(
        _ purpose: LinkPurpose, _ token: LinkToken, to row: AccountRow, _ parts: IdentityParts,
        at moment: Timestamp
    ) throws {
        guard let owned = row.address else { return nil }
        let stored = try AccountReader(parts: parts).vault(row).open(owned.sealed, .address)
        guard let address = EmailAddress(stored) else { return nil }
        let expiresAt = moment + purpose.life(parts.settings)
        link = NewLink(
            key: parts.randomness.rowKey(), tokenHash: token.hash(purpose, parts.keys.links),
            purpose: purpose, account: row.account, addressKey: owned.lookUpKey,
            expiresAt: expiresAt)
        let outbox = IdentityOutbox(parts: parts)
        message = try outbox.email(
            purpose.mail(link: token.url(purpose, origin: parts.settings.linkOrigin)),
            of: row.account, to: address.mailbox, language: row.language, expiresAt: expiresAt,
            key: outbox.newKey())
    }
}

extension LinkPurpose {
    fileprivate func life(_ settings: IdentitySettings) -> Duration {
        switch self {
        case .verifyEmail, .changeEmail: settings.verificationLife
        case .resetPassword: settings.resetLife
        }
    }

    fileprivate func mail(link: String) -> IdentityMail {
        switch self {
        case .verifyEmail: .verifyEmail(link: link)
        case .resetPassword: .resetPassword(link: link)
        case .changeEmail: .emailChangeConfirm(link: link)
        }
    }
}

extension Transaction {
    /// Inserts a link and enqueues its mail; the account's former links of that purpose become
    /// void.
    func send(_ mail: LinkMail) throws {
        try removeLinks(mail.link.purpose, of: mail.link.account)
        try insert(mail.link)
        try enqueue(mail.message)
    }
}
