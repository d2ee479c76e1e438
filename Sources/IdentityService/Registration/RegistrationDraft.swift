import Addresses
import ServiceRuntime
import Storage

/// Everything that a registration may write, prepared before its transaction: the account's rows,
/// its link, and the key or text of the two mails, of which one is sent.
struct RegistrationDraft: Sendable {
    let account: NewAccount
    let link: NewLink
    /// To the new account: verify your address.
    let verificationMail: OutboxMessage
    /// The idempotency key of the mail to the owner of a taken address. Retries of one call use the
    /// same key, so the owner gets one mail.
    let ownerMailKey: String

    /// A draft for an applicant. `hash` is the hash of the password.
    /// - Parameter guest: the calling guest, which becomes the account; nil without one.
    /// - Throws: when the guest's key does not open, or sealing fails.
    init(
        _ applicant: Applicant, hash: String, as guest: AccountRow?, _ parts: IdentityParts,
        at moment: Timestamp
    ) throws {
        let id = guest?.account ?? AccountID.drawn(from: parts.randomness)
        let vault =
            try guest.map { try AccountReader(parts: parts).vault($0) }
            ?? AccountVault(new: id, under: parts.keys.accounts, randomness: parts.randomness)
        account = NewAccount(
            account: id, sealedKey: vault.sealedKey,
            sealedDisplayName: try vault.seal(applicant.displayName, .displayName),
            language: applicant.language,
            address: NewAddress(
                lookUpKey: applicant.lookUpKey,
                sealed: try vault.seal(applicant.address.entered, .address), isProved: false),
            sealedPasswordHash: try vault.seal(hash, .passwordHash),
            status: parts.settings.emailVerification == .required
                ? .pendingVerification : .active)
        let token = LinkToken.drawn(from: parts.randomness)
        let expiresAt = moment + parts.settings.verificationLife
        link = NewLink(
            key: parts.randomness.rowKey(),
            tokenHash: token.hash(.verifyEmail, parts.keys.links), purpose: .verifyEmail,
            account: id, addressKey: applicant.lookUpKey, expiresAt: expiresAt)
        let outbox = IdentityOutbox(parts: parts)
        verificationMail = try outbox.email(
            .verifyEmail(link: token.url(.verifyEmail, origin: parts.settings.linkOrigin)),
            of: id, to: applicant.address.mailbox, language: applicant.language,
            expiresAt: expiresAt, key: outbox.newKey())
        ownerMailKey = applicant.call.map { outbox.key(of: $0) } ?? outbox.newKey()
    }
}
