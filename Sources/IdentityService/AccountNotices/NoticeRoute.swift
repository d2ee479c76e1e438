import Contracts
import ServiceRuntime

/// The operator's settings for notices to owners (N-01, N-02).
package struct NoticeSettings: Sendable {
    /// When notices are pushed.
    package enum Push: String, CaseIterable, Sendable {
        /// To accounts without a proved address.
        case withoutMail = "without-mail"
        /// To all accounts.
        case always
    }

    /// Which notices are sent as text messages.
    package enum Text: String, CaseIterable, Sendable {
        /// The grave ones, to an account without a proved address, if no device took the push.
        case grave
        case off
    }

    /// When notices are pushed.
    package var push = Push.withoutMail
    /// Which notices are sent as text messages.
    package var text = Text.grave
    /// Which numbers texts go to, as codes.
    var phone = PhoneSettings()

    /// The defaults, for tests and embedding.
    package init() {}

    /// Declares every setting and reads its value.
    init(reading settings: inout SettingsReader) {
        settings.choice(
            "notice-push", &push,
            reason: "Push notices to owners without a proved address only, or to all (N-02).")
        settings.choice(
            "notice-text", &text,
            reason: "Text grave notices to owners without a proved address and without a device "
                + "for push messages, in phone-countries (N-02, N-07).")
    }
}

/// Decides by which channels a notice is sent to an account's owner (N-07). Pure:
///
///     address     mail                         push                        text
///     none        none                         if the notice has one       if the notice has one
///     unproved    bare, unless it is about     if the notice has one       if the notice has one
///                 devices and places
///     proved      whole                        with `notice-push: always`, none
///                                              and if it is pushed always
///
/// A text needs a number that may get it too (`OwnerNotice`), and `notice-text: grave`. It is sent
/// only if no device takes the push (`NoticeOrder`).
///
/// A *bare* mail has no device's name and no link: its reader may be a stranger, to whom a person
/// who mistyped an address, or chose another's, could write by the name, and whose link it is not.
/// So an account without a proved address has another way: its phone.
struct NoticeRoute: Hashable, Sendable {
    /// What a mail contains.
    enum MailForm: Hashable, Sendable {
        case unsent
        /// Neither device nor link.
        case bare
        case whole
    }

    /// The channels as stored numbers, of which a row has the sum. They never change.
    enum Channel: Int64, CaseIterable, Sendable {
        case mail = 1
        case push = 2
        case text = 4
    }

    var mail: MailForm
    let isPushed: Bool
    /// Whether a text takes the place of a push that no device takes.
    let isTexted: Bool

    /// - Parameters:
    ///   - isProved: Whether the account's address is proved; nil for an account without one.
    ///   - hasNumber: Whether it has a number that a text may go to.
    init(
        of template: MailTemplate, to isProved: Bool?, hasNumber: Bool, _ settings: NoticeSettings
    ) {
        mail =
            switch isProved {
            case nil: .unsent
            case false?: template.isForProvedOnly ? .unsent : .bare
            case true?: .whole
            }
        let hasMail = isProved == true
        let isPushedToAll = template.isPushedAlways || settings.push == .always
        isPushed = template.push != nil && (!hasMail || isPushedToAll)
        isTexted = template.text != nil && !hasMail && hasNumber && settings.text == .grave
    }

    /// The sum of the channels, as stored; 0 for none.
    var channels: Int64 {
        let used: [(Bool, Channel)] = [
            (mail != .unsent, .mail), (isPushed, .push), (isTexted, .text),
        ]
        return used.reduce(0) { $0 + ($1.0 ? $1.1.rawValue : 0) }
    }
}
