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
        guard let row = try transaction.account(owner) else { return }
        try mailTaken(by: row, key: outbox.newKey(), transaction)
    }

    /// The same to an account.
    /// - Parameter key: The mail's idempotency key.
    func mailTaken(by row: AccountRow, key: String, _ transaction: Transaction) throws {
        guard let address = try reader.address(row) else { return }
        try enqueue(
            Mail.alreadyRegistered(row, settings), to: address, of: row, key: key, transaction)
    }

    /// To the account's present address: a change was requested.
    func tellRequested(
        _ new: EmailAddress, of row: AccountRow, _ transaction: Transaction
    ) throws {
        try notices.write(
            .emailChangeRequested, to: row, DeviceShown(nil), with: [.address(new)], transaction)
    }

    /// To the account's former address, and to its devices.
    /// - Parameters:
    ///   - row: The account before the change.
    ///   - session: The session that confirms it; empty for none.
    func tellChanged(
        to new: EmailAddress, of row: AccountRow, from origin: CallOrigin, by session: String,
        _ transaction: Transaction
    ) throws {
        try notices.write(
            .emailChanged, to: row, DeviceShown(nil, from: origin), with: [.address(new)],
            except: session, transaction)
    }

    private func enqueue(
        _ mail: Mail, to address: EmailAddress, of row: AccountRow,
        expiresAt: Timestamp? = nil, key: String? = nil, _ transaction: Transaction
    ) throws {
        try transaction.enqueue(
            outbox.email(
                mail, of: row.account, to: address.mailbox, language: row.language,
                expiresAt: expiresAt, key: key ?? outbox.newKey()))
    }

    /// Cancels the pending email change of the caller's account (G-12). It needs no recent proof,
    /// because it changes nothing that is in force. But a caller who has lost the account must not
    /// block its owner's email change, so the session must not have ended (`SessionsEnd`).
    func cancelEmailChange(
        _ request: GatewayV1.CancelEmailChangeRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.CancelEmailChangeResponse {
        let (account, frame) = (call.owner.account, call.frame)
        let isCancelled = try await store.write(about: [.account(account)]) { transaction in
            try transaction.requireLive(call.owner)
            if let first = try transaction.storedResponse(of: frame.repeatable) {
                return first.done
            }
            let isCancelled = try transaction.removeEmailChange(of: account)
            // A call that changes nothing stores nothing either. Attack: a guest that cancels
            // without end, each time with another key, fills the disk.
            guard isCancelled else { return false }
            try transaction.audit(.emailChangeCancelled, account, from: frame.origin)
            try transaction.remember(frame.repeatable, .init(account: account.key, done: true))
            return true
        }
        return GatewayV1.CancelEmailChangeResponse(cancelled: isCancelled)
    }

    /// Replaces an account's address. Everything that was mailed to the old one becomes void.
    func replaceAddress(
        of account: AccountID, by address: NewAddress, _ transaction: Transaction
    ) throws {
        try transaction.replaceAddress(account, by: address)
        try transaction.removeLinks(of: account)
        try writer.deletions.renewLink(of: account, transaction)
        try transaction.cancelPendingChanges(of: account)
    }
}

extension GatewayV1.CancelEmailChangeRequest: DeviceRequest {}
