import Contracts

/// The text of a text message in one language: one paragraph. Also the footer of mails.
enum SMSWording {
    /// Bytes of one file.
    static let bytesMax = 4_096

    /// Parses a file.
    /// - Throws: `TemplateFault`.
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
