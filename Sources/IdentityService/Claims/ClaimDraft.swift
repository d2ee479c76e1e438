import Addresses
import ServiceRuntime
import Storage

/// Everything that a sign-up under `enumeration: strict` writes, prepared before the transaction:
/// the rows of a new guest, unless the caller is a guest already, and the claim with its link.
struct ClaimDraft: Sendable {
    /// The rows of a new guest; nil if the caller is a guest.
    let account: NewAccount?
    let claim: Claim
    let token: LinkToken

    /// A draft for an applicant whose password's hash is `hash`.
    /// - Parameter guest: The calling guest, who keeps the account; nil for a caller without a
    ///   session.
    init(
        _ applicant: Applicant, hash: String, as guest: AccountRow?, _ parts: IdentityParts,
        at moment: Timestamp
    ) throws {
        let id = guest?.account ?? AccountID.drawn(from: parts.randomness)
        let vault =
            try guest.map { try AccountReader(parts: parts).vault($0) }
            ?? AccountVault(new: id, under: parts.keys.accounts, randomness: parts.randomness)
        account =
            guest == nil
            ? NewAccount(
                account: id, sealedKey: vault.sealedKey,
                sealedDisplayName: try vault.seal(applicant.displayName, .displayName),
                language: applicant.language, isGuest: true) : nil
        token = LinkToken.drawn(from: parts.randomness)
        claim = Claim(
            account: id, tokenHash: token.hash(.verifyEmail, parts.keys.links),
            addressKey: applicant.lookUpKey,
            sealedAddress: try vault.seal(applicant.address.entered, .claimedAddress),
            sealedPasswordHash: try vault.seal(hash, .claimedPasswordHash),
            expiresAt: moment + parts.settings.verificationLife)
    }
}
