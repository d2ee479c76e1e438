/// The mails that can be sent (N-01). To add one: a case and its row, its files in
/// `Sources/Texts/mail`, and the flow that sends it (`Mail`, or `OwnerNotice` for a notice). The row
/// of a notice also has its push message and its text message (N-07).
package enum MailTemplate: String, MessageTemplate {
    /// An account was created by a proof that verifies its address, or the first link has verified
    /// the address of a sign-up with a password.
    case welcome
    /// A sign-in (D0).
    case signIn = "sign-in"
    /// A sign-in on a device that is new to the account (A-06, G-08).
    case newDevice = "new-device"
    /// The first proof of a sign-in was right, and five second proofs were wrong (F-03).
    case secondProofFailed = "second-proof-failed"
    /// A second factor was set up; with the first one, every sign-in asks for it (F-03).
    case secondFactorOn = "second-factor-on"
    /// The last second factor was removed (F-03).
    case secondFactorOff = "second-factor-off"
    /// Support will remove all second factors at the time; until then the link keeps them (F-03).
    case secondFactorResetRequested = "second-factor-reset-requested"
    /// Support has removed all second factors (F-03).
    case secondFactorReset = "second-factor-reset"
    /// A recovery code was used (F-04).
    case recoveryCodeUsed = "recovery-code-used"
    /// A recovery code was used, and few are left (F-04).
    case recoveryCodesLow = "recovery-codes-low"
    /// A passkey was used whose count of signatures did not rise: there may be a copy (F-01).
    case passkeyCounterBehind = "passkey-counter-behind"
    /// A link that verifies an address (G-02, G-12).
    case verifyEmail = "verify-email"
    /// A code that verifies an address.
    case verifyEmailCode = "verify-email-code"
    /// A code for the second proof of a sign-in (F-03).
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
    /// The owner has disowned a sign-in by the link of its mail, and signs in again with a method
    /// that is left (N-01). To an account with a password `resetPassword` goes instead.
    case signInDisowned = "sign-in-disowned"
    /// The owner of the address has proved it, and what a stranger had set up was removed.
    case addressClaimed = "address-claimed"
    /// The app's backend has vouched for the owner of the address, and what a stranger may have set
    /// up was removed (X-04, I-10).
    case accountSetUp = "account-set-up"
    /// A newer session displaced another one (S-03).
    case sessionDisplaced = "session-displaced"
    /// A refresh token was used twice, so its session was ended (G-10).
    case sessionReplayed = "session-replayed"
    /// Guesses have locked sign-in to the account for some time.
    case signInLocked = "sign-in-locked"
    /// The account's phone number is reported to have changed hands.
    case numberChanged = "number-changed"
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

    /// The number of a notice: a message about an event of the account, sent to its owner a few
    /// times an hour at most (`NoticeRule`). Nil for any other mail. It is stored (`notices.kind`)
    /// and never changes. A number below 64 is also that of `NoticeKind` on the wire: another
    /// service requests the notice.
    package var noticeKind: Int64? { row.noticeKind }

    /// The push message of a notice, where `NoticeRoute` says so; nil for none.
    package var push: PushTemplate? { row.push }

    /// The text message of a notice, where `NoticeRoute` says so; nil for none. Only grave ones have
    /// one: a text costs the operator money.
    package var text: SMSTemplate? { row.text }

    /// Whether the mail goes to a proved address only: it is about devices and places, and the
    /// reader of another address may be a stranger.
    package var isForProvedOnly: Bool {
        switch self {
        case .signIn, .newDevice: true
        default: false
        }
    }

    /// Whether a notice is pushed to every device of the account, whatever `notice-push` says: what it
    /// reports, somebody may have asked for in the owner's name.
    package var isPushedAlways: Bool {
        switch self {
        case .secondFactorResetRequested, .secondFactorReset: true
        default: false
        }
    }

    /// Whether a request may leave a required variable empty: the mail about a waiting deletion, or a
    /// waiting removal of second factors, has no link for the reader of an unproved address.
    package func mayLack(_ variable: TemplateVariable) -> Bool {
        switch self {
        case .deletionScheduled, .secondFactorResetRequested: variable == .link
        default: false
        }
    }

    /// All facts of a mail except its words.
    fileprivate struct Row {
        let lane: Lane
        let variables: [TemplateVariable]
        let noticeKind: Int64?
        let push: PushTemplate?
        let text: SMSTemplate?

        init(
            _ lane: Lane, _ variables: TemplateVariable..., noticeKind: Int64? = nil,
            push: PushTemplate? = nil, text: SMSTemplate? = nil
        ) {
            self.lane = lane
            self.variables = variables
            self.noticeKind = noticeKind
            self.push = push
            self.text = text
        }
    }

    /// Strangers can cause any number of warnings to an address, by signing up with it or by
    /// changing to it (`emailChangeConfirm`). So no warning is in the lane of what the reader
    /// requested.
    private var row: Row {
        switch self {
        case .welcome: Row(.bulk, .name, .device, .place, .time, noticeKind: 68)
        case .signIn:
            Row(
                .notice, .name, .method, .device, .place, .time, .notMeLink, noticeKind: 73,
                push: .signIn)
        case .newDevice: .newDevice
        case .secondProofFailed:
            Row(.security, .method, .device, .place, .time, noticeKind: 90)
        case .secondFactorOn: .secondFactorOn
        case .secondFactorOff: .secondFactorOff
        case .secondFactorResetRequested: .secondFactorResetRequested
        case .secondFactorReset: .secondFactorReset
        case .recoveryCodeUsed:
            Row(.security, .device, .place, .time, .count, .securityLink, noticeKind: 95)
        case .recoveryCodesLow:
            Row(.security, .device, .place, .time, .count, .securityLink, noticeKind: 96)
        case .passkeyCounterBehind:
            Row(.security, .device, .place, .time, .securityLink, noticeKind: 100)
        case .verifyEmail: Row(.requested, .link, .validity)
        case .verifyEmailCode: Row(.requested, .code, .minutes)
        case .signInCode: Row(.requested, .code, .minutes)
        case .resetPassword: Row(.requested, .link, .validity)
        case .emailChangeConfirm: Row(.security, .link, .validity)
        case .emailChangeRequested: Row(.security, .address, .time, noticeKind: 79)
        case .emailChanged:
            Row(.security, .address, .place, .time, noticeKind: 82, push: .emailChanged)
        case .passwordChanged: .passwordChanged
        case .methodAdded: .methodAdded
        case .methodRemoved: .methodRemoved
        case .signInDisowned: Row(.security, .methods, .time, noticeKind: 81)
        case .addressClaimed: Row(.security, .methods, .time, noticeKind: 67)
        case .accountSetUp: Row(.security, .methods, .time, noticeKind: 101)
        case .sessionDisplaced:
            Row(.notice, .device, .time, noticeKind: 1, push: .sessionDisplaced)
        case .sessionReplayed: .sessionReplayed
        case .signInLocked: Row(.security, .time, noticeKind: 74, push: .signInLocked)
        case .numberChanged: Row(.security, .time, noticeKind: 75, push: .numberChanged)
        case .emailAlreadyRegistered: Row(.security, .methods, .link)
        case .accountSuspended: Row(.notice, .time, noticeKind: 71)
        case .accountRestored: Row(.notice, .time, noticeKind: 72)
        case .guestDataAttention: Row(.notice, .count, noticeKind: 80)
        case .parentalConsent: Row(.security, .link, .time)
        case .exportReady: Row(.notice, .link, .time)
        case .deletionLink: Row(.requested, .link, .validity)
        case .deletionScheduled: .deletionScheduled
        case .deletionCancelled: Row(.notice, .time, noticeKind: 77)
        case .deletionDone: Row(.notice, noticeKind: 78)
        }
    }
}

/// The rows of the notices that are pushed or texted where no mail goes: they are about what a thief
/// of the account would do.
extension MailTemplate.Row {
    fileprivate static let newDevice = MailTemplate.Row(
        .security, .method, .device, .place, .time, .notMeLink, noticeKind: 70, push: .newDevice,
        text: .newDevice)
    fileprivate static let secondFactorOn = MailTemplate.Row(
        .security, .device, .place, .time, .notMeLink, noticeKind: 91, push: .secondFactorOn,
        text: .secondFactorOn)
    fileprivate static let secondFactorOff = MailTemplate.Row(
        .security, .device, .place, .time, .securityLink, noticeKind: 92, push: .secondFactorOff,
        text: .secondFactorOff)
    fileprivate static let secondFactorResetRequested = MailTemplate.Row(
        .security, .link, .time, noticeKind: 93, push: .secondFactorResetRequested,
        text: .secondFactorResetRequested)
    fileprivate static let secondFactorReset = MailTemplate.Row(
        .security, .time, .securityLink, noticeKind: 94, push: .secondFactorReset,
        text: .secondFactorReset)
    fileprivate static let passwordChanged = MailTemplate.Row(
        .security, .device, .place, .time, noticeKind: 64, push: .passwordChanged,
        text: .passwordChanged)
    fileprivate static let methodAdded = MailTemplate.Row(
        .security, .method, .device, .place, .time, .notMeLink, noticeKind: 65, push: .methodAdded,
        text: .methodAdded)
    fileprivate static let methodRemoved = MailTemplate.Row(
        .security, .method, .device, .place, .time, noticeKind: 66, push: .methodRemoved,
        text: .methodRemoved)
    fileprivate static let sessionReplayed = MailTemplate.Row(
        .security, .device, .place, .time, noticeKind: 2, push: .sessionReplayed,
        text: .sessionReplayed)
    fileprivate static let deletionScheduled = MailTemplate.Row(
        .security, .link, .time, noticeKind: 76, push: .deletionScheduled, text: .deletionScheduled)
}
