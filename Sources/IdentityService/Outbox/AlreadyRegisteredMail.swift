/// What the owner of an address is told when somebody wants to sign up with it, or to change to it
/// (FR-026, X-02): how the account is signed in to, and where a password can be set.
///
/// The link goes to the app's page for forgotten passwords and holds no secret: its reader asks there
/// for the link that works, as everybody does (`ResetRequest`). Attack: a link with a token would be
/// a stranger's to order by signing up. It would pass by the limit of three an hour, make void the
/// link that the owner has just asked for, and write a row more than a free address does.
///
/// The ways to sign in are named to a proved owner alone: until then a stranger may have added them,
/// and our mail would show the way in that they had made.
struct AlreadyRegisteredMail {
    /// The last part of the page's path, beside those of `LinkPurpose`.
    static let page = "forgot-password"

    let settings: IdentitySettings

    /// The mail to the owner, whose account `row` is.
    func mail(to row: AccountRow) -> IdentityMail {
        let methods = row.address?.provedAt == nil ? [] : row.methods
        return .emailAlreadyRegistered(
            methods: methods.map { DeviceWords.words(name: $0, platform: "") },
            link: "\(settings.linkOrigin)/\(Self.page)")
    }
}
