/// A template of one channel: `MailTemplate`, `SMSTemplate` or `PushTemplate`.
protocol MessageTemplate: CaseIterable, Hashable, Sendable, RawRepresentable
where RawValue == String {
    /// The template's priority class (N-06).
    var lane: Lane { get }
    /// The variables that a request must have.
    var variables: [TemplateVariable] { get }
    /// The built-in text.
    var wordings: Wordings { get }
}
