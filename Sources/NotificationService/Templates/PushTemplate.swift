/// The notices that are pushed to an account's devices. They say less than the mail of the same
/// name: whoever holds the phone can read them. To add one: a case, its variables and lane, a file
/// of its words.
package enum PushTemplate: String, CaseIterable, Sendable {
    /// A sign-in on a device, or from a place, not seen before.
    case newDevice = "new-device"
    /// The password is another one.
    case passwordChanged = "password-changed"
    /// The account has another address.
    case emailChanged = "email-changed"
    /// There is one more way to sign in.
    case methodAdded = "method-added"
    /// A session was ended for safety.
    case sessionReplayed = "session-replayed"
    /// The account will be deleted.
    case deletionScheduled = "deletion-scheduled"

    /// The variables that a request must bring.
    package var variables: [TemplateVariable] {
        switch self {
        case .newDevice: [.device, .place]
        case .methodAdded: [.method]
        case .deletionScheduled: [.time]
        case .passwordChanged, .emailChanged, .sessionReplayed: []
        }
    }

    /// How urgent it is (N-06): all of them warn.
    package var lane: Lane { .security }

    /// Our words.
    var wordings: Wordings {
        switch self {
        case .newDevice: NewDevicePushWording.wordings
        case .passwordChanged: PasswordChangedPushWording.wordings
        case .emailChanged: EmailChangedPushWording.wordings
        case .methodAdded: MethodAddedPushWording.wordings
        case .sessionReplayed: SessionReplayedPushWording.wordings
        case .deletionScheduled: DeletionScheduledPushWording.wordings
        }
    }
}

/// The words of a pushed notice in one language: a `Title:` line, an empty line, one paragraph.
struct PushWording: Sendable {
    /// Bytes of one file; what is sent has 4 KiB at most (APNs, FCM).
    static let bytesMax = 2_048

    let title: MustacheTemplate
    let body: MustacheTemplate

    /// - Throws: `TemplateFault`.
    init(_ source: TemplateSource, variables: [TemplateVariable]) throws(TemplateFault) {
        let text = WordingText(source)
        let names = ShownValues.common + variables.map(\.rawValue)
        title = try MustacheParser.template(try text.header("Title"), names: names)
        try text.refuseOtherHeaders(than: ["Title"])
        guard let paragraph = text.paragraphs.first, text.paragraphs.count == 1 else {
            throw source.fault("a notice has one paragraph below its title")
        }
        body = try MustacheParser.template(paragraph, names: names)
    }

    /// The names of all values in it.
    var names: Set<String> { Set((title.uses + body.uses).map(\.name)) }
}
