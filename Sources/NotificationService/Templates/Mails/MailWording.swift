import Contracts
import ServiceRuntime

/// The text of one mail in one language. Both parts of the mail are made from it, so that they
/// cannot differ:
///
///     Subject: Confirm your email for {{product}}
///     Title: Confirm your email
///
///     Please confirm that this is your email address.
///
///     [Confirm email]({{link}})
///
///     - Device: {{device}}
///
/// Empty lines separate paragraphs. Three kinds have a special form: a link alone in its paragraph
/// becomes a button, which is left out if the link is empty; `{{code}}` alone is shown in large
/// type; lines that start with `- ` are facts, and such a line is left out if its variables have no
/// values. A section must start and end in the same paragraph.
struct MailWording: Sendable {
    let subject: MustacheTemplate
    let title: MustacheTemplate
    let blocks: [MailBlock]
    /// The operator's HTML, which replaces the generated one.
    var operatorHTML: MustacheTemplate?

    /// Bytes of one file. Ours have about 1,000.
    static let bytesMax = 32_768
    /// Paragraphs of one mail.
    private static let blocksMax = 50

    /// Parses a file.
    /// - Parameter variables: the template's own; `product` is always allowed.
    /// - Throws: `TemplateFault`, with the line.
    init(_ source: TemplateSource, variables: [TemplateVariable]) throws(TemplateFault) {
        let text = WordingText(source)
        let names = variables.allowedNames
        let links = TemplateVariable.links.map(\.rawValue)
        let headers = names.filter { !links.contains($0) }
        // A paragraph may ask whether there is a second link.
        let words = names.filter { $0 != TemplateVariable.link.rawValue }
        let subject = try text.header("Subject")
        self.subject = try MustacheParser.template(subject, names: headers)
        title = try MustacheParser.template(
            text.optionalHeader("Title") ?? subject, names: headers)
        try text.refuseOtherHeaders(than: ["Subject", "Title"])
        guard (1...Self.blocksMax).contains(text.paragraphs.count) else {
            throw source.fault("a mail must have 1 to \(Self.blocksMax) paragraphs")
        }
        var blocks: [MailBlock] = []
        for paragraph in text.paragraphs {
            blocks.append(try MailBlock(paragraph, names: names, words: words))
        }
        self.blocks = blocks
    }

    /// The text part.
    func text(_ values: [String: String]) -> String {
        blocks.map { $0.text(values) }.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The same as HTML, without the layout.
    func html(_ values: [String: String]) -> String {
        operatorHTML?.rendered(values, escape: HTMLText.escape)
            ?? blocks.map { $0.html(values) }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The start of the mail, which lists of mails show after the subject.
    func preview(_ values: [String: String]) -> String {
        for case .words(let words, html: _) in blocks { return words.rendered(values) }
        return ""
    }
}
