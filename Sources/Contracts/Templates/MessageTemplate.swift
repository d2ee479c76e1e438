/// A template of one channel: `MailTemplate`, `SMSTemplate` or `PushTemplate`.
package protocol MessageTemplate: CaseIterable, Hashable, Sendable, RawRepresentable
where RawValue == String {
    /// The template's priority class (N-06).
    var lane: Lane { get }
    /// The variables that a request must have.
    var variables: [TemplateVariable] { get }
    /// Whether the value of a variable may be empty here, although it may not elsewhere.
    func mayLack(_ variable: TemplateVariable) -> Bool
}

extension MessageTemplate {
    /// No value may.
    package func mayLack(_ variable: TemplateVariable) -> Bool { false }
}

/// A placeholder in a template. To add one: a case; in the notification service its validation, its
/// display form and a sample for the preview (`TemplateVariable.swift`, `TemplateListing.swift`).
package enum TemplateVariable: String, CaseIterable, Sendable {
    /// A complete URL.
    case link
    /// A device's name, or words for the program on it; may be empty.
    case device
    /// A time, `2026-01-31 09:05 UTC`, or a date. Shown in the format of the reader's language.
    case time
    /// A person's name; empty if not known.
    case name
    /// A town or country; empty if not known.
    case place
    /// A sign-in method: `password`, `google`, `phone` and so on.
    case method
    /// Several methods, separated by spaces.
    case methods
    /// Another address of the reader. Masked before it is shown.
    case address
    /// A code to enter.
    case code
    /// How long the code is valid, in minutes.
    case minutes
    /// A number of items.
    case count
    /// How long the link is valid, in minutes. Shown in words: "24 hours".
    case validity
    /// A complete URL, by which the reader says that the event was not theirs; empty where the mail
    /// has none.
    case notMeLink = "not-me-link"
    /// A complete URL of the page on which the reader changes the second factors; empty where the mail
    /// has none.
    case securityLink = "security-link"

    /// The value if the caller sends none; nil for a variable that is required. A variable that a
    /// release adds to a template is empty in the messages of the release before it, which are sent
    /// or stored during an upgrade.
    package var defaultValue: String? {
        switch self {
        case .name, .place, .validity, .notMeLink, .securityLink: ""
        case .link, .device, .time, .method, .methods, .address, .code, .minutes, .count: nil
        }
    }

    /// Whether a message may have no value for it: it is not known, or the release before sent none.
    /// A text reads naturally without it.
    package var mayBeEmpty: Bool { self == .device || self == .methods || defaultValue == "" }
}
