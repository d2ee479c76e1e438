/// The notices that are pushed to an account's devices (N-07). They reveal less than the mail of the
/// same name, because anybody who holds the phone can read them. To add one: a case, its variables
/// and lane, its text in `Sources/Texts/push`, and the mail whose row names it.
package enum PushTemplate: String, MessageTemplate {
    /// A sign-in (D0).
    case signIn = "sign-in"
    /// A sign-in on a device that was not seen before.
    case newDevice = "new-device"
    /// The password was changed.
    case passwordChanged = "password-changed"
    /// The account's address was changed.
    case emailChanged = "email-changed"
    /// A sign-in method was added.
    case methodAdded = "method-added"
    /// A sign-in method was removed.
    case methodRemoved = "method-removed"
    /// A newer session displaced another one.
    case sessionDisplaced = "session-displaced"
    /// A session was ended because its refresh token was replayed.
    case sessionReplayed = "session-replayed"
    /// Guesses have locked sign-in to the account for some time.
    case signInLocked = "sign-in-locked"
    /// The account's phone number is reported to have changed hands.
    case numberChanged = "number-changed"
    /// The account will be deleted.
    case deletionScheduled = "deletion-scheduled"
    /// A second factor was set up.
    case secondFactorOn = "second-factor-on"
    /// The last second factor was removed.
    case secondFactorOff = "second-factor-off"
    /// Support will remove all second factors.
    case secondFactorResetRequested = "second-factor-reset-requested"
    /// Support has removed all second factors.
    case secondFactorReset = "second-factor-reset"

    /// The variables that a request must have.
    package var variables: [TemplateVariable] {
        switch self {
        case .signIn, .newDevice: [.device, .place]
        case .methodAdded, .methodRemoved: [.method]
        case .deletionScheduled, .secondFactorResetRequested: [.time]
        case .passwordChanged, .emailChanged, .sessionDisplaced, .sessionReplayed, .signInLocked,
            .numberChanged, .secondFactorOn, .secondFactorOff, .secondFactorReset:
            []
        }
    }

    /// The template's priority class (N-06), that of the mail: a sign-in and a displaced session are
    /// what the reader did, all others are warnings.
    package var lane: Lane {
        switch self {
        case .signIn, .sessionDisplaced: .notice
        case .newDevice, .passwordChanged, .emailChanged, .methodAdded, .methodRemoved,
            .sessionReplayed, .signInLocked, .numberChanged, .deletionScheduled, .secondFactorOn,
            .secondFactorOff, .secondFactorResetRequested, .secondFactorReset:
            .security
        }
    }
}
