/// The mails that can be sent (N-01). To add one: a case, its variables and lane, and a file with
/// its text in `Wording`.
package enum MailTemplate: String, CaseIterable, Sendable {
    /// An account was created.
    case welcome
    /// A sign-in (D0).
    case signIn = "sign-in"
    /// A sign-in on a device, or from a place, that was not seen before.
    case newDevice = "new-device"
    /// A link that verifies an address.
    case verifyEmail = "verify-email"
    /// A code that verifies an address.
    case verifyEmailCode = "verify-email-code"
    /// A code to sign in with.
    case signInCode = "sign-in-code"
    /// A link to choose a new password (G-11).
    case resetPassword = "reset-password"
    /// To the new address: confirm the change (G-12).
    case emailChangeConfirm = "email-change-confirm"
    /// To the old address: a change was requested.
    case emailChangeRequested = "email-change-requested"
    /// To the old address: the account has another address now.
    case emailChanged = "email-changed"
    /// The password was changed.
    case passwordChanged = "password-changed"
    /// A sign-in method was added (G-14, G-15).
    case methodAdded = "method-added"
    /// A sign-in method was removed.
    case methodRemoved = "method-removed"
    /// The owner of the address has proved it, and what a stranger had set up was removed.
    case addressClaimed = "address-claimed"
    /// A newer session displaced another one.
    case sessionDisplaced = "session-displaced"
    /// A refresh token was used twice, so its session was ended.
    case sessionReplayed = "session-replayed"
    /// A sign-up with an address that has an account. The link opens a page and contains no secret,
    /// because the requester may be a stranger.
    case emailAlreadyRegistered = "email-already-registered"
    /// The operator has suspended the account (I-09).
    case accountSuspended = "account-suspended"
    /// The operator has restored the account.
    case accountRestored = "account-restored"
    /// An export of the account's data is ready (G-21).
    case exportReady = "export-ready"
    /// The account will be deleted; until then the deletion can be cancelled (G-19).
    case deletionScheduled = "deletion-scheduled"
    /// The deletion was cancelled.
    case deletionCancelled = "deletion-cancelled"
    /// The account was deleted.
    case deletionDone = "deletion-done"

    /// The variables that a request must have.
    package var variables: [TemplateVariable] {
        switch self {
        case .welcome: [.name, .device, .place, .time]
        case .signIn, .newDevice: [.method, .device, .place, .time]
        case .verifyEmail, .resetPassword, .emailChangeConfirm: [.link]
        case .verifyEmailCode, .signInCode: [.code, .minutes]
        case .emailChangeRequested, .emailChanged: [.address, .time]
        case .passwordChanged: [.device, .place, .time]
        case .methodAdded, .methodRemoved: [.method, .device, .time]
        case .addressClaimed: [.methods, .time]
        case .sessionDisplaced, .sessionReplayed: [.device, .time]
        case .emailAlreadyRegistered: [.methods, .link]
        case .accountSuspended, .accountRestored: [.time]
        case .deletionDone: []
        case .exportReady: [.link, .time]
        case .deletionScheduled, .deletionCancelled: [.time]
        }
    }
}

extension MailTemplate {
    /// The built-in text.
    var wordings: Wordings {
        switch self {
        case .welcome: WelcomeWording.wordings
        case .signIn: SignInWording.wordings
        case .newDevice: NewDeviceWording.wordings
        case .verifyEmail: VerifyEmailWording.wordings
        case .verifyEmailCode: VerifyEmailCodeWording.wordings
        case .signInCode: SignInCodeWording.wordings
        case .resetPassword: ResetPasswordWording.wordings
        case .emailChangeConfirm: EmailChangeConfirmWording.wordings
        case .emailChangeRequested: EmailChangeRequestedWording.wordings
        case .emailChanged: EmailChangedWording.wordings
        case .passwordChanged: PasswordChangedWording.wordings
        case .methodAdded: MethodAddedWording.wordings
        case .methodRemoved: MethodRemovedWording.wordings
        case .addressClaimed: AddressClaimedWording.wordings
        case .sessionDisplaced: SessionDisplacedWording.wordings
        case .sessionReplayed: SessionReplayedWording.wordings
        case .emailAlreadyRegistered: EmailAlreadyRegisteredWording.wordings
        case .accountSuspended: AccountSuspendedWording.wordings
        case .accountRestored: AccountRestoredWording.wordings
        case .exportReady: ExportReadyWording.wordings
        case .deletionScheduled: DeletionScheduledWording.wordings
        case .deletionCancelled: DeletionCancelledWording.wordings
        case .deletionDone: DeletionDoneWording.wordings
        }
    }
}
