/// The kinds of data in `ListAccountsWithData`. The metric `identity_orphans` has a value for each.
package enum AccountDataKind: String, CaseIterable, Sendable {
    /// An account; listed by identity.
    case account
    /// A session, open or ended; listed by session.
    case session
    /// When an account was last seen; listed by session.
    case lastSeen = "last-seen"
    /// Claims of an account, for its tokens; listed by session.
    case claims
    /// A device that gets push messages; listed by notification.
    case pushDevice = "push-device"
}
