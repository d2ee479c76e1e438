import ServiceRuntime

/// The effect of a valid verification link (G-12; Sources/SECURITY.md, Accounts and linking):
///
///     opened in            password       outcome
///     its own session      any            confirms
///     elsewhere            none           auth/password-needed; the link stays valid
///     elsewhere            the same       confirms
///     elsewhere            another        confirms, replaces the password, ends all sessions
///
/// Links for an email change and for a claim use the same rule to decide whether a password is
/// needed. There, only the account's or the claim's password is accepted
/// (`confirmEmailChange`, `ClaimConfirmation`).
///
/// Attack it stops: an attacker signs up with a victim's address and waits. When the victim opens
/// the link, the account must not keep the attacker's password.
enum ConfirmationRule: Hashable {
    /// The link alone suffices.
    case byLink
    /// A password is needed, and the request has none.
    case passwordMissing
    /// The request has a password, which must be compared with the stored one.
    case byPassword

    /// The rule for a link of account `owner`, opened in the session of `callersAccount`.
    init(owner: AccountID, callersAccount: AccountID?, hasPassword: Bool) {
        // A session of another account may be an attacker's, so it counts as none.
        if callersAccount == owner {
            self = .byLink
        } else {
            self = hasPassword ? .byPassword : .passwordMissing
        }
    }
}
