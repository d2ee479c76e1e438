import CallRecords
import EmailAddresses
import Messages
import RPC
import ServiceRuntime
import Storage

/// Mails a link to set a new password (G-11), where the address has an account that may sign in:
///
///     account      link and mail                       answer
///     none         made for a stand-in, thrown away    the same
///     active       a new one; the former are void      the same
///     any other    made for a stand-in, thrown away    the same
///
/// Attack: a list of addresses is tried, to learn who has an account. So both ways take the
/// same steps: two looks, one vault opened, one mail sealed, one write with one audit event. What
/// differs is that the write for an account holds the link and the mail too; its commit, which
/// costs most, is one all the same. A link never goes to what was typed.
struct ResetRequest: Sendable {
    let parts: IdentityParts

    /// - Throws: `auth/invalid-email`, `auth/idempotency-key-reused`.
    func run(
        _ request: IdentityV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestPasswordResetResponse {
        let address = try EmailAddress.required(request.email)
        let lookUpKey = parts.keys.lookUpKey(of: address)
        let call = try RepeatableCall(
            "RequestPasswordReset", [lookUpKey], context, hash: parts.keys.calls)
        let token = LinkToken.drawn(from: parts.randomness)
        let standIn = try standIn(address, lookUpKey)
        let event = AuditEvent(
            .passwordResetRequested, subject: parts.keys.subject(of: address)
        ).from(CallOrigin(request.origin, hash: parts.keys.audit))
        try await parts.store.write { transaction in
            // Nothing to answer but that it was done; so nothing of the account is kept.
            guard try transaction.firstAnswer(of: call) == nil else { return }
            try write(lookUpKey, token, standIn, event, transaction)
            try transaction.remember(call, FirstAnswer(account: 0))
        }
        return IdentityV1.RequestPasswordResetResponse()
    }

    private func write(
        _ lookUpKey: [UInt8], _ token: LinkToken, _ standIn: AccountRow, _ event: AuditEvent,
        _ transaction: Transaction
    ) throws {
        let owner = try transaction.owner(ofAddress: lookUpKey)
        let known = try transaction.account(owner ?? standIn.account)
        let usable = known.flatMap { $0.status.isUsable ? $0 : nil }
        let mail = try LinkMail(
            .resetPassword, token, to: usable ?? standIn, parts, at: transaction.at)
        if usable != nil, let mail { try transaction.send(mail) }
        var event = event
        event.account = known?.account.key
        try transaction.audit(event)
    }

    /// Somebody with the address that was typed, whom no store knows.
    private func standIn(_ address: EmailAddress, _ lookUpKey: [UInt8]) throws -> AccountRow {
        let account = AccountID.drawn(from: parts.randomness)
        let vault = try AccountVault(
            new: account, under: parts.keys.accounts, randomness: parts.randomness)
        return AccountRow(
            account: account, status: .active, createdAt: parts.time.now(), lastSignInAt: nil,
            sealedKey: vault.sealedKey, sealedDisplayName: [],
            language: parts.settings.defaultLanguage,
            address: AccountRow.Address(
                lookUpKey: lookUpKey, sealed: try vault.seal(address.entered, .address),
                provedAt: nil))
    }
}
