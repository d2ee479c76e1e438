/// The text messages that can be sent. To add one: a case, its variables and lane, its text in
/// `Sources/Texts/sms`, and for a notice the mail whose row names it. A text fits into one segment:
/// 160 characters of GSM 03.38, or 70 if one character is not in it, which is why the Spanish one
/// with a code avoids "código".
package enum SMSTemplate: String, MessageTemplate {
    /// A code to sign in with or to reauthenticate (G-06, N-02).
    case phoneCode = "phone-code"
    /// A sign-in on a device that was not seen before.
    case newDevice = "new-device"
    /// A session was ended because its refresh token was replayed.
    case sessionReplayed = "session-replayed"
    /// A sign-in method was added.
    case methodAdded = "method-added"
    /// A sign-in method was removed.
    case methodRemoved = "method-removed"
    /// The password was changed.
    case passwordChanged = "password-changed"
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

    /// The variables that a request must have. Notices name neither device nor method: who holds the
    /// phone, and who carries the text, can read them.
    package var variables: [TemplateVariable] {
        switch self {
        case .phoneCode: [.code, .minutes]
        case .deletionScheduled, .secondFactorResetRequested: [.time]
        case .newDevice, .sessionReplayed, .methodAdded, .methodRemoved, .passwordChanged,
            .secondFactorOn, .secondFactorOff, .secondFactorReset:
            []
        }
    }

    /// The template's priority class (N-06).
    package var lane: Lane {
        switch self {
        case .phoneCode: .requested
        case .newDevice, .sessionReplayed, .methodAdded, .methodRemoved, .passwordChanged,
            .deletionScheduled, .secondFactorOn, .secondFactorOff, .secondFactorResetRequested,
            .secondFactorReset:
            .security
        }
    }
}
