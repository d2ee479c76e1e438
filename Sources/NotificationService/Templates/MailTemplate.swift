/// The mails that can be sent (N-01). To add one: a case, its variables, its wording's file.
package enum MailTemplate: String, CaseIterable, Sendable {
    /// Prove that an address is yours, by a link.
    case verifyEmail = "verify-email"
    /// Somebody tried to sign up with an address that has an account. Carries no link, since who
    /// asked for it may be a stranger.
    case emailAlreadyRegistered = "email-already-registered"
    /// A newer session took the place of another one.
    case sessionDisplaced = "session-displaced"
    /// A refresh token was used twice, so its session was ended.
    case sessionReplayed = "session-replayed"

    /// The variables that a request must bring.
    package var variables: [TemplateVariable] {
        switch self {
        case .verifyEmail: [.link]
        case .emailAlreadyRegistered: []
        case .sessionDisplaced, .sessionReplayed: [.device, .time]
        }
    }

    /// The mail's words.
    /// - Parameters:
    ///   - language: BCP 47. There is English so far, for every language.
    ///   - product: what people know the app by.
    ///   - values: a value for each of `variables`, checked by `TemplateVariable.allows`.
    /// - Throws: `TemplateMistake` when a value is missing.
    package func render(
        language: String, product: HeaderText, values: [TemplateVariable: String]
    ) throws(TemplateMistake) -> MailContent {
        switch self {
        case .verifyEmail:
            guard let link = values[.link] else { throw TemplateMistake(missing: .link) }
            return try VerifyEmailWording(product: product, link: link).english()
        case .emailAlreadyRegistered:
            return try EmailAlreadyRegisteredWording(product: product).english()
        case .sessionDisplaced:
            return try SessionDisplacedWording(
                product: product, notice: SessionNotice(values)
            ).english()
        case .sessionReplayed:
            return try SessionReplayedWording(
                product: product, notice: SessionNotice(values)
            ).english()
        }
    }
}

/// What stands for something of this one mail in a template.
package enum TemplateVariable: String, CaseIterable, Sendable {
    /// Where to go: a whole URL.
    case link
    /// The name of a device; empty where it has none.
    case device
    /// A moment, as a person reads it.
    case time

    /// The longest value, in bytes: a link with a token is a few hundred.
    package static let bytesMax = 2_048

    /// The longest name of a device or moment, in bytes.
    private static let wordsBytesMax = 256

    /// Whether `value` can be this. A link is `http` or `https` in printable ASCII without quotes
    /// or brackets: `javascript:` in an `href` would run, and a line break in the text part could
    /// fake one. Names and moments are one line of letters, numbers and a few marks: with a point,
    /// a slash or an at sign mail programs would make a link of what a stranger typed.
    package func allows(_ value: String) -> Bool {
        switch self {
        case .link:
            (value.hasPrefix("https://") || value.hasPrefix("http://"))
                && value.utf8.count <= Self.bytesMax
                && value.utf8.allSatisfy { byte in
                    (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
                }
        case .device, .time:
            value.utf8.count <= Self.wordsBytesMax
                && value.allSatisfy { $0.isLetter || $0.isNumber || " '’-():".contains($0) }
        }
    }
}

/// Why a template gives no mail.
package struct TemplateMistake: Error, Hashable {
    /// The variable that has no value; nil when the words cannot stand in a header.
    package let missing: TemplateVariable?

    init(missing: TemplateVariable?) {
        self.missing = missing
    }
}
