/// The mails that can be sent (N-01). To add one: a case and its row, its files in
/// `Sources/Texts/mail`, and the flow that sends it (`Mail`, or `NoticeMail` for a notice).
package enum MailTemplate: String, MessageTemplate {
    /// An account was created by a proof that verifies its address, or the first link has verified
    /// the address of a sign-up with a password.
    case welcome
    /// A sign-in (D0).
    case signIn = "sign-in"
    /// A sign-in on a device that is new to the account (A-06, G-08).
    case newDevice = "new-device"
    /// A link that verifies an address (G-02, G-12).
    case verifyEmail = "verify-email"
    /// A code that verifies an address.
    case verifyEmailCode = "verify-email-code"
    /// A code to sign in with.
    case signInCode = "sign-in-code"
    /// A link to choose a new password (G-11).
    case resetPassword = "reset-password"
    /// To the new address: confirm the change (G-12).
    case emailChangeConfirm = "email-change-confirm"
    /// To the old address: a change was requested (G-12).
    case emailChangeRequested = "email-change-requested"
    /// To the old address: the account has another address (G-12).
    case emailChanged = "email-changed"
    /// The password was changed.
    case passwordChanged = "password-changed"
    /// A sign-in method was added (G-14, G-15).
    case methodAdded = "method-added"
    /// A sign-in method was removed (G-14).
    case methodRemoved = "method-removed"
    /// The owner of the address has proved it, and what a stranger had set up was removed.
    case addressClaimed = "address-claimed"
    /// A newer session displaced another one (S-03).
    case sessionDisplaced = "session-displaced"
    /// A refresh token was used twice, so its session was ended (G-10).
    case sessionReplayed = "session-replayed"
    /// A sign-up with an address that has an account. The link opens a page and contains no secret,
    /// because the requester may be a stranger.
    case emailAlreadyRegistered = "email-already-registered"
    /// The operator has suspended the account (I-09).
    case accountSuspended = "account-suspended"
    /// The operator has restored the account (I-09).
    case accountRestored = "account-restored"
    /// Some of the documents of a guest could not be moved into the account (G-16).
    case guestDataAttention = "guest-data-attention"
    /// To a parent: consent to a child's account, or refuse it (G-23). It names neither the child
    /// nor the account: a stranger could write to any address through the name.
    case parentalConsent = "parental-consent"
    /// An export of the account's data is ready, and can be fetched until the time (G-21).
    case exportReady = "export-ready"
    /// A link to the page that deletes the account (G-19).
    case deletionLink = "deletion-link"
    /// The account will be deleted at the time; until then the link cancels the deletion (G-19).
    case deletionScheduled = "deletion-scheduled"
    /// The deletion was cancelled (G-19).
    case deletionCancelled = "deletion-cancelled"
    /// The account was deleted (G-20).
    case deletionDone = "deletion-done"

    /// The template's priority class (N-06).
    package var lane: Lane { row.lane }

    /// The variables that a request must have, in the order in which our services send them.
    package var variables: [TemplateVariable] { row.variables }

    /// The number of a notice: a mail about an event of the account, sent to its owner a few times
    /// an hour at most (`NoticeRule`). Nil for any other mail. It is stored (`notices.kind`) and
    /// never changes. A number below 64 is also that of `NoticeKind` on the wire: another service
    /// requests the notice.
    package var noticeKind: Int64? { row.noticeKind }

    /// All facts of a mail except its words.
    private struct Row {
        let lane: Lane
        let variables: [TemplateVariable]
        let noticeKind: Int64?

        init(_ lane: Lane, _ variables: TemplateVariable..., noticeKind: Int64? = nil) {
            self.lane = lane
            self.variables = variables
            self.noticeKind = noticeKind
        }
    }

    /// Strangers can cause any number of warnings to an address, by signing up with it or by
    /// changing to it (`emailChangeConfirm`). So no warning is in the lane of what the reader
    /// requested.
    private var row: Row {
        switch self {
        case .welcome: Row(.bulk, .name, .device, .place, .time, noticeKind: 68)
        case .signIn: Row(.notice, .method, .device, .place, .time)
        case .newDevice: Row(.security, .method, .device, .place, .time, noticeKind: 70)
        case .verifyEmail: Row(.requested, .link, .validity)
        case .verifyEmailCode: Row(.requested, .code, .minutes)
        case .signInCode: Row(.requested, .code, .minutes)
        case .resetPassword: Row(.requested, .link, .validity)
        case .emailChangeConfirm: Row(.security, .link, .validity)
        case .emailChangeRequested: Row(.security, .address, .time)
        case .emailChanged: Row(.security, .address, .time)
        case .passwordChanged: Row(.security, .device, .place, .time, noticeKind: 64)
        case .methodAdded: Row(.security, .method, .device, .time, noticeKind: 65)
        case .methodRemoved: Row(.security, .method, .device, .time, noticeKind: 66)
        case .addressClaimed: Row(.security, .methods, .time, noticeKind: 67)
        case .sessionDisplaced: Row(.notice, .device, .time, noticeKind: 1)
        case .sessionReplayed: Row(.security, .device, .time, noticeKind: 2)
        case .emailAlreadyRegistered: Row(.security, .methods, .link)
        case .accountSuspended: Row(.notice, .time, noticeKind: 71)
        case .accountRestored: Row(.notice, .time, noticeKind: 72)
        case .guestDataAttention: Row(.notice, .count, noticeKind: 80)
        case .parentalConsent: Row(.security, .link, .time)
        case .exportReady: Row(.notice, .link, .time)
        case .deletionLink: Row(.requested, .link, .validity)
        case .deletionScheduled: Row(.security, .link, .time)
        case .deletionCancelled: Row(.notice, .time)
        case .deletionDone: Row(.notice)
        }
    }
}
