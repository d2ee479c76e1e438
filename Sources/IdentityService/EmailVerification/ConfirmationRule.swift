import ServiceRuntime

/// What a good verification link does (G-12; Sources/SECURITY.md, Accounts and linking):
///
///     opened in            password       outcome
///     its own session      any            confirms
///     elsewhere            none           auth/password-needed; the link stays good
///     elsewhere            the same       confirms
///     elsewhere            another        confirms, replaces the password, ends all sessions
///
/// A link to change an address, and one that proves a claim, ask by the same rule whether a
/// password is needed; then only the account's, or the claim's, will do (`EmailChangeConfirmation`,
/// `ClaimConfirmation`).
///
/// Attack it stops: a stranger signs up with somebody's address and waits. When the owner opens
/// the link, the stranger's password must not become the owner's.
enum ConfirmationRule: Hashable {
    /// The link alone is enough.
    case byLink
    /// A password is needed and none was given.
    case passwordMissing
    /// A password was given: it is to be compared with the stored one.
    case byPassword

    /// What to do with a link of account `owner`, opened in the session of `asking`.
    init(owner: AccountID, asking: AccountID?, hasPassword: Bool) {
        // Another account's session is a stranger's place.
        if asking == owner {
            self = .byLink
        } else {
            self = hasPassword ? .byPassword : .passwordMissing
        }
    }
}
