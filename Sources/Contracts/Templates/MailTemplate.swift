/// The mails that can be sent (N-01). To add one: a case, its row in `definition`, its files in
/// `Sources/Texts/mail`, and its case in `IdentityMail` if identity sends it.
package enum MailTemplate: String, MessageTemplate {
    /// An account was created.
    case welcome
    /// A sign-in (D0).
    case signIn = "sign-in"
    /// A sign-in on a device that was not seen before.
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
    /// Some of the documents of a guest could not be moved into the account (G-16).
    case guestDataAttention = "guest-data-attention"
    /// To a parent: consent to a child's account, or refuse it (G-23).
    case parentalConsent = "parental-consent"
    /// An export of the account's data is ready (G-21).
    case exportReady = "export-ready"
    /// A link to the page that deletes the account (G-19).
    case deletionLink = "deletion-link"
    /// The account will be deleted; until then the deletion can be cancelled (G-19).
    case deletionScheduled = "deletion-scheduled"
    /// The deletion was cancelled.
    case deletionCancelled = "deletion-cancelled"
    /// The account was deleted.
    case deletionDone = "deletion-done"

    /// The template's priority class (N-06).
    package var lane: Lane { definition.lane }

    /// The variables that a request must have.
    package var variables: [TemplateVariable] { definition.variables }

    /// Lane and variables. Strangers can cause any number of warnings to an address, by
    /// signing up with it or by changing to it (`emailChangeConfirm`). So no warning is in the lane
    /// of what the reader requested.
    private var definition: (lane: Lane, variables: [TemplateVariable]) {
        switch self {
        case .welcome: (.bulk, [.name, .device, .place, .time])
        case .signIn: (.notice, [.method, .device, .place, .time])
        case .newDevice: (.security, [.method, .device, .place, .time])
        case .verifyEmail: (.requested, [.link, .validity])
        case .verifyEmailCode: (.requested, [.code, .minutes])
        case .signInCode: (.requested, [.code, .minutes])
        case .resetPassword: (.requested, [.link, .validity])
        case .emailChangeConfirm: (.security, [.link, .validity])
        case .emailChangeRequested: (.security, [.address, .time])
        case .emailChanged: (.security, [.address, .time])
        case .passwordChanged: (.security, [.device, .place, .time])
        case .methodAdded: (.security, [.method, .device, .time])
        case .methodRemoved: (.security, [.method, .device, .time])
        case .addressClaimed: (.security, [.methods, .time])
        case .sessionDisplaced: (.notice, [.device, .time])
        case .sessionReplayed: (.security, [.device, .time])
        case .emailAlreadyRegistered: (.security, [.methods, .link])
        case .accountSuspended: (.notice, [.time])
        case .accountRestored: (.notice, [.time])
        case .guestDataAttention: (.notice, [.count])
        case .parentalConsent: (.security, [.link, .time])
        case .exportReady: (.notice, [.link, .time])
        case .deletionLink: (.requested, [.link, .validity])
        case .deletionScheduled: (.security, [.link, .time])
        case .deletionCancelled: (.notice, [.time])
        case .deletionDone: (.notice, [])
        }
    }
}
