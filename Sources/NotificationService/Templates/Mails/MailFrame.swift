import ServiceRuntime
import Texts

/// The layout of every HTML mail: one column of 560 px at most, in light and dark colours and in
/// the reader's fonts. No images, no scripts and no remote content, so opening a mail reveals
/// nothing to anybody. An operator can replace it with a `layout.html` that has the same variables.
struct MailFrame: Sendable {
    /// The name of the operator's file.
    static let fileName = "layout.html"
    /// Bytes of one file.
    static let bytesMax = 65_536
    /// The variables that are allowed in it, besides `{{> content}}`.
    private static let names = ["product", "title", "preview", "footer", "language", "direction"]
    private static let partial = "content"

    private let template: MustacheTemplate

    /// Parses a layout.
    /// - Throws: `TemplateFault`.
    init(_ source: TemplateSource) throws(TemplateFault) {
        template = try MustacheParser.template(source, names: Self.names, partials: [Self.partial])
        try HTMLPositions.check(template, of: source)
        guard source.text.contains("{{> \(Self.partial)}}") else {
            throw source.fault("without {{> \(Self.partial)}} every mail would be empty", line: 0)
        }
    }

    private init(template: MustacheTemplate) { self.template = template }

    /// Used when the operator's layout is invalid. The error is reported before any mail is made.
    static let empty = MailFrame(template: MustacheTemplate(parts: []))

    /// Renders the document.
    /// - Parameter values: of `product`, `title`, `preview` and `footer`.
    func html(_ values: [String: String], content: String, language: Language) -> String {
        var values = values
        values["language"] = language.rawValue
        values["direction"] = language.direction
        return template.rendered(
            values, partials: [Self.partial: content], escape: HTMLText.escape)
    }

    /// The built-in layout.
    static let standard = TemplateSource(
        file: fileName, line: 1, text: Texts.file("mail/\(fileName)") ?? "")
}
