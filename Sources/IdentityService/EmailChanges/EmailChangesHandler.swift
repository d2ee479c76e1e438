import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.EmailChanges`: changes of an account's address, and verification mails for
/// a caller without a session (G-02, G-12). `cancelEmailChange` is of `postern.gateway.v1.Emails`.
struct EmailChangesHandler:
    EmailChangesService, IdentityEmailsService, OwnerCallsHandler, AccountWriting
{
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let calls: AccountCalls
}

/// The mails about an email change, each enqueued in the transaction of its event (N-01, G-12).
extension EmailChangesHandler {
    /// To the new address: the confirmation link.
    func mailLink(
        _ token: LinkToken, to address: EmailAddress, of row: AccountRow, until: Timestamp,
        _ transaction: Transaction
    ) throws {
        let link = token.url(.changeEmail, origin: settings.linkOrigin)
        try enqueue(
            Mail(.emailChangeConfirm, [.link(link), .validity(settings.verificationLife)]),
            to: address, of: row, expiresAt: until, transaction)
    }

    /// To the owner of an address that another account requested: nothing has changed.
    func mailTaken(by owner: AccountID, _ transaction: Transaction) throws {
        guard let row = try transaction.account(owner), let address = try reader.address(row)
        else { return }
        try enqueue(Mail.alreadyRegistered(row, settings), to: address, of: row, transaction)
    }

    /// To the account's present address: a change was requested.
    func mailRequested(
        _ new: EmailAddress, of row: AccountRow, _ transaction: Transaction
    ) throws {
        guard let old = try recipient(of: row, transaction) else { return }
        try enqueue(
            Mail(.emailChangeRequested, [.address(new), .time(transaction.at)]), to: old, of: row,
            transaction)
    }

    /// To the account's former address. `row` is from before the change.
    func mailChanged(
        to new: EmailAddress, of row: AccountRow, _ transaction: Transaction
    ) throws {
        guard let old = try recipient(of: row, transaction) else { return }
        try enqueue(
            Mail(.emailChanged, [.address(new), .time(transaction.at)]), to: old, of: row,
            transaction)
    }

    /// The account's address; nil if it has none, or if no mail may be sent there
    /// (`UnrequestedMailRule`).
    private func recipient(
        of row: AccountRow, _ transaction: Transaction
    ) throws -> EmailAddress? {
        guard let owned = row.address,
            try owned.provedAt != nil || transaction.maySend(.account, to: owned.lookUpKey)
        else { return nil }
        return try reader.address(row)
    }

    private func enqueue(
        _ mail: Mail, to address: EmailAddress, of row: AccountRow,
        expiresAt: Timestamp? = nil, _ transaction: Transaction
    ) throws {
        try transaction.enqueue(
            outbox.email(
                mail, of: row.account, to: address.mailbox, language: row.language,
                expiresAt: expiresAt, key: outbox.newKey()))
    }
}
