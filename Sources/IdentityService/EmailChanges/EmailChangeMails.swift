import Addresses
import ServiceRuntime
import Storage

/// The mails about an email change, each enqueued in the transaction of its event (N-01, G-12).
struct EmailChangeMails {
    let parts: IdentityParts
    let transaction: Transaction

    /// To the new address: the confirmation link.
    func confirm(_ address: EmailAddress, token: LinkToken, of row: AccountRow, until: Timestamp)
        throws
    {
        let link = token.url(.changeEmail, origin: parts.settings.linkOrigin)
        try enqueue(
            .emailChangeConfirm(link: link), to: address, of: row, expiresAt: until)
    }

    /// To the owner of an address that another account requested: nothing has changed.
    func taken(by owner: AccountID) throws {
        guard let row = try transaction.account(owner), let address = try address(of: row) else {
            return
        }
        try enqueue(
            AlreadyRegisteredMail(settings: parts.settings).mail(to: row), to: address, of: row)
    }

    /// To the account's present address: a change was requested.
    func requested(_ new: EmailAddress, of row: AccountRow) throws {
        guard let old = try address(of: row) else { return }
        try enqueue(.emailChangeRequested(address: new.mailbox, time: now), to: old, of: row)
    }

    /// To the account's former address. `row` is from before the change.
    func changed(to new: EmailAddress, of row: AccountRow) throws {
        guard let old = try address(of: row) else { return }
        try enqueue(.emailChanged(address: new.mailbox, time: now), to: old, of: row)
    }

    private var now: String { NoticeTime.text(of: transaction.at.milliseconds) }

    private func address(of row: AccountRow) throws -> EmailAddress? {
        let stored = try row.address.map {
            try AccountReader(parts: parts).vault(row).open($0.sealed, .address)
        }
        return stored.flatMap(EmailAddress.init)
    }

    private func enqueue(
        _ mail: IdentityMail, to address: EmailAddress, of row: AccountRow,
        expiresAt: Timestamp? = nil
    ) throws {
        let outbox = IdentityOutbox(parts: parts)
        try transaction.enqueue(
            outbox.email(
                mail, of: row.account, to: address.mailbox, language: row.language,
                expiresAt: expiresAt, key: outbox.newKey()))
    }
}
