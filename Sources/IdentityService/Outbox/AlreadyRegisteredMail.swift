/// The mail to the owner of an address when somebody else tries to register it or to change to it
/// (FR-026, X-02). It names the account's sign-in methods and the page for setting a password.
///
/// The link leads to the app's page for forgotten passwords and contains no secret. The reader
/// requests the working link there, as in any reset (`ResetRequest`). Attack: with a token in this
/// mail, any stranger could order reset links by registering. That would bypass the limit of three
/// an hour, void the link that the owner has just requested, and write one row more than for a free
/// address, which discloses the account.
///
/// The sign-in methods are listed only for a verified address. Before that, an attacker may have
/// added them, and the mail would advertise the attacker's own method.
struct AlreadyRegisteredMail {
    /// The last component of the page's path, like those of `LinkPurpose`.
    static let page = "forgot-password"

    let settings: IdentitySettings

    /// The mail to the owner of the account `row`.
    func mail(to row: AccountRow) -> IdentityMail {
        let methods = row.address?.provedAt == nil ? [] : row.methods
        return .emailAlreadyRegistered(
            methods: methods.map { DeviceWords.words(name: $0, platform: "") },
            link: "\(settings.linkOrigin)/\(Self.page)")
    }
}
