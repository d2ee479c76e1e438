import Addresses
import ServiceRuntime
import Storage

/// The mail for a new claim, or for one whose link is requested again. A free address gets the link
/// that confirms the claim. An address that has an account, in any state, gets a mail that says so:
/// a person who waits for the link there would wait in vain.
///
/// Both take the same steps, so that the time of a sign-up does not reveal which mail it was
/// one owner lookup, one account read, one address decrypted, one mail sealed.
struct ClaimMail {
    let settings: IdentitySettings
    let outbox: IdentityOutbox
    let transaction: Transaction

    /// Enqueues the mail. The claim must be in the store already.
    func write(_ claim: Claim, token: LinkToken) throws {
        let owner = try transaction.owner(ofAddress: claim.addressKey)
        guard let row = try transaction.account(owner ?? claim.account) else {
            throw ServiceError(.internalError, detail: "a claim's account is missing")
        }
        let vault = try AccountReader(keys: outbox.keys, randomness: outbox.randomness).vault(row)
        let stored =
            try owner == nil
            ? vault.open(claim.sealedAddress, .claimedAddress)
            : row.address.map { try vault.open($0.sealed, .address) }
        guard let address = stored.flatMap(EmailAddress.init) else {
            throw ServiceError(.internalError, detail: "a claimed address is malformed")
        }
        let link = token.url(.verifyEmail, origin: settings.linkOrigin)
        let taken = AlreadyRegisteredMail(settings: settings).mail(to: row)
        try transaction.enqueue(
            outbox.email(
                owner == nil ? .verifyEmail(link: link) : taken,
                of: row.account, to: address.mailbox, language: row.language,
                expiresAt: owner == nil ? claim.expiresAt : nil, key: outbox.newKey()))
    }
}
