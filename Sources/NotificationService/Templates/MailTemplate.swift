/// The mails that can be sent (N-01). To add one: a case, its variables and lane, a file of its
/// words in `Wording`.
package enum MailTemplate: String, CaseIterable, Sendable {
    /// An account was made.
    case welcome
    /// Somebody signed in (D0).
    case signIn = "sign-in"
    /// Somebody signed in on a device, or from a place, that was not seen before.
    case newDevice = "new-device"
    /// Prove that an address is yours, by a link.
    case verifyEmail = "verify-email"
    /// The same, by a code.
    case verifyEmailCode = "verify-email-code"
    /// A code to sign in with.
    case signInCode = "sign-in-code"
    /// Choose a new password, by a link (G-11).
    case resetPassword = "reset-password"
    /// To the new address: confirm the change (G-12).
    case emailChangeConfirm = "email-change-confirm"
    /// To the old address: a change was asked for.
    case emailChangeRequested = "email-change-requested"
    /// To the old address: it is no longer the account's.
    case emailChanged = "email-changed"
    /// The password is another one.
    case passwordChanged = "password-changed"
    /// There is one more way to sign in (G-14, G-15).
    case methodAdded = "method-added"
    /// There is one less.
    case methodRemoved = "method-removed"
    /// The owner of the address has arrived, and what a stranger had set up is gone.
    case addressClaimed = "address-claimed"
    /// A newer session took the place of another one.
    case sessionDisplaced = "session-displaced"
    /// A refresh token was used twice, so its session was ended.
    case sessionReplayed = "session-replayed"
    /// Somebody tried to sign up with an address that has an account. Its link is a page's, without
    /// a secret, since who asked for it may be a stranger.
    case emailAlreadyRegistered = "email-already-registered"
    /// The operator has stopped the account (I-09).
    case accountSuspended = "account-suspended"
    /// The operator has let it go on.
    case accountRestored = "account-restored"
    /// All of an account's data can be fetched (G-21).
    case exportReady = "export-ready"
    /// The account will be deleted; until then it can be kept (G-19).
    case deletionScheduled = "deletion-scheduled"
    /// The account stays.
    case deletionCancelled = "deletion-cancelled"
    /// The account is gone.
    case deletionDone = "deletion-done"

    /// The variables that a request must bring.
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
    /// Our words.
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
