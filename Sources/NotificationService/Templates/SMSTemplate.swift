/// The text messages that can be sent. To add one: a case, its variables and lane, its
/// text in `Wording`.
package enum SMSTemplate: String, MessageTemplate {
    /// A code to sign in with or to reauthenticate (G-06, N-02).
    case phoneCode = "phone-code"

    /// The variables that a request must have.
    package var variables: [TemplateVariable] {
        switch self {
        case .phoneCode: [.code, .minutes]
        }
    }

    /// The template's priority class (N-06).
    package var lane: Lane {
        switch self {
        case .phoneCode: .requested
        }
    }

    /// The built-in text.
    var wordings: Wordings {
        switch self {
        case .phoneCode: .phoneCode
        }
    }
}

extension SMSTemplate {
    /// Bytes of one file.
    static let bytesMax = 4_096

    /// Parses a file: the text of a text message in one language, one paragraph. Also the footer of
    /// mails.
    static func text(
        _ source: TemplateSource, variables: [TemplateVariable]
    ) throws(TemplateFault) -> MustacheTemplate {
        let text = source.text.trimmingNewlines
        guard !text.isEmpty else { throw source.fault("the file is empty", line: 0) }
        return try MustacheParser.template(
            TemplateSource(file: source.file, line: source.line, text: text),
            names: variables.allowedNames)
    }
}

extension String {
    /// Without trailing line ends, which editors add.
    var trimmingNewlines: String {
        var text = self[...]
        while text.last?.isNewline == true { text.removeLast() }
        return String(text)
    }
}
