import EmailAddresses
import ServiceRuntime
import Storage

/// All that a sign-up under strict enumeration writes, made before its transaction: the guest's
/// rows, unless a guest is there already, and the claim with its link.
struct ClaimDraft: Sendable {
    /// The rows of a new guest; nil where one asks.
    let account: NewAccount?
    let claim: Claim
    let token: LinkToken

    /// A draft for an applicant whose password's hash is `hash`.
    /// - Parameter guest: who asks, and keeps its account; nil for nobody.
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
