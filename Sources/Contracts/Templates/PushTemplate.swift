/// The notices that are pushed to an account's devices. They reveal less than the mail of the same
/// name, because anybody who holds the phone can read them. To add one: a case, its variables and
/// lane, its text in `Sources/Texts/push`.
package enum PushTemplate: String, MessageTemplate {
    /// A sign-in on a device that was not seen before.
    case newDevice = "new-device"
    /// The password was changed.
    case passwordChanged = "password-changed"
    /// The account's address was changed.
    case emailChanged = "email-changed"
    /// A sign-in method was added.
    case methodAdded = "method-added"
    /// A session was ended because its refresh token was replayed.
    case sessionReplayed = "session-replayed"
    /// The account will be deleted.
    case deletionScheduled = "deletion-scheduled"

    /// The variables that a request must have.
    package var variables: [TemplateVariable] {
        switch self {
        case .newDevice: [.device, .place]
        case .methodAdded: [.method]
        case .deletionScheduled: [.time]
        case .passwordChanged, .emailChanged, .sessionReplayed: []
        }
    }

    /// The template's priority class (N-06): all are warnings.
    package var lane: Lane { .security }
}
