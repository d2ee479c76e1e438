import Addresses
import ServiceRuntime
import Storage

/// A link and the mail that carries it (G-11, G-12).
struct LinkMail: Sendable {
    let link: NewLink
    let message: OutboxMessage

    /// A link to the stored address of an account. Never to an address from the request: even if
    /// normalisation made `mıke` match the account of `mike`, the mail must not go to `mıke`.
    /// - Returns: nil for an account without an address.
    init?(
        _ purpose: LinkPurpose, _ token: LinkToken, to row: AccountRow,
        _ settings: IdentitySettings, _ outbox: IdentityOutbox, at moment: Timestamp
    ) throws {
        let reader = AccountReader(keys: outbox.keys, randomness: outbox.randomness)
        guard let owned = row.address, let address = try reader.address(row) else { return nil }
        try self.init(
            purpose, token, of: row.account, to: address, addressKey: owned.lookUpKey,
            language: row.language, settings, outbox, at: moment)
    }

    /// A link to an address that its account is about to get with this registration. For an
    /// account that exists use the other init, which takes the stored address.
    init(
        _ purpose: LinkPurpose, _ token: LinkToken, of account: AccountID,
        to address: EmailAddress, addressKey: [UInt8], language: String,
        _ settings: IdentitySettings, _ outbox: IdentityOutbox, at moment: Timestamp
    ) throws {
        let expiresAt = moment + purpose.life(settings)
        link = NewLink(
            key: outbox.randomness.rowKey(), tokenHash: token.hash(purpose, outbox.keys.links),
            purpose: purpose, account: account, addressKey: addressKey, expiresAt: expiresAt)
        message = try outbox.email(
            purpose.mail(link: token.url(purpose, origin: settings.linkOrigin)),
            of: account, to: address.mailbox, language: language, expiresAt: expiresAt,
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
