import Contracts

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
