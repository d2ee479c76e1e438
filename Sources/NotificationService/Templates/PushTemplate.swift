/// The notices that are pushed to an account's devices. They reveal less than the mail of the same
/// name, because anybody who holds the phone can read them. To add one: a case, its variables and
/// lane, its text in `Wording`.
package enum PushTemplate: String, MessageTemplate {
    /// A sign-in on a device, or from a place, that was not seen before.
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

    /// The built-in text.
    var wordings: Wordings {
        switch self {
        case .newDevice: .newDevicePush
        case .passwordChanged: .passwordChangedPush
        case .emailChanged: .emailChangedPush
        case .methodAdded: .methodAddedPush
        case .sessionReplayed: .sessionReplayedPush
        case .deletionScheduled: .deletionScheduledPush
        }
    }
}

/// The text of a push notice in one language: a `Title:` line, an empty line, one paragraph.
struct PushWording: Sendable {
    /// Bytes of one file. A payload has 4 KiB at most (APNs, FCM).
    static let bytesMax = 2_048

    let title: MustacheTemplate
    let body: MustacheTemplate

    /// Parses a file.
    /// - Throws: `TemplateFault`.
    init(_ source: TemplateSource, variables: [TemplateVariable]) throws(TemplateFault) {
        let text = WordingText(source)
        let names = variables.allowedNames
        title = try MustacheParser.template(try text.header("Title"), names: names)
        try text.refuseOtherHeaders(than: ["Title"])
        guard let paragraph = text.paragraphs.first, text.paragraphs.count == 1 else {
            throw source.fault("a notice must have one paragraph after its title")
        }
        body = try MustacheParser.template(paragraph, names: names)
    }
}
