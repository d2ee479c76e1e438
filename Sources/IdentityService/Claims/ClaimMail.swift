import EmailAddresses
import ServiceRuntime
import Storage

/// The one mail of a claim, new or asked for again: to a free address the link that proves it; to
/// an address that has an account, whatever its state, word of that, so that whoever waits for the
/// link has nothing to wait for.
///
/// Both are made by the same steps, so that the time of a sign-up does not tell which it was
/// one owner is looked for, one account is read, one address opened, one mail sealed.
struct ClaimMail {
    let parts: IdentityParts
    let transaction: Transaction

    /// Writes the mail. The claim must be in the store.
    func write(_ claim: Claim, token: LinkToken) throws {
        let owner = try transaction.owner(ofAddress: claim.addressKey)
        guard let row = try transaction.account(owner ?? claim.account) else {
            throw ServiceError(.internalError, detail: "an account of a claim is not there")
        }
        let vault = try AccountReader(parts: parts).vault(row)
        let stored =
            try owner == nil
            ? vault.open(claim.sealedAddress, .claimedAddress)
            : row.address.map { try vault.open($0.sealed, .address) }
        guard let address = stored.flatMap(EmailAddress.init) else {
            throw ServiceError(.internalError, detail: "a claimed address is none")
        }
        let link = token.url(.verifyEmail, origin: parts.settings.linkOrigin)
        let taken = AlreadyRegisteredMail(settings: parts.settings).mail(to: row)
        let outbox = IdentityOutbox(parts: parts)
        try transaction.enqueue(
            outbox.email(
                owner == nil ? .verifyEmail(link: link) : taken,
                of: row.account, to: address.mailbox, language: row.language,
                expiresAt: owner == nil ? claim.expiresAt : nil, key: outbox.newKey()))
    }
}
