/// The words of one mail in one language. One text makes both parts of the mail, so that they
/// cannot tell different things:
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
/// Paragraphs are parted by empty lines. Three kinds are more than words: a link alone in its
/// paragraph is a button; `{{code}}` alone is shown large; lines that begin with `- ` are facts,
/// and such a line stands only when it has its values. A section begins and ends in one paragraph.
struct MailWording: Sendable {
    let subject: MustacheTemplate
    let title: MustacheTemplate
    let blocks: [MailBlock]

    /// Bytes of one file: ours have about 1,000.
    static let bytesMax = 32_768
    /// Paragraphs of one mail.
    private static let blocksMax = 50

    /// - Parameter variables: the mail's own; `product` may stand in every one.
    /// - Throws: `TemplateFault`, with the line.
    init(_ source: TemplateSource, variables: [TemplateVariable]) throws(TemplateFault) {
        let text = WordingText(source)
        let names = ShownValues.common + variables.map(\.rawValue)
        let words = names.filter { $0 != TemplateVariable.link.rawValue }
        let subject = try text.header("Subject")
        self.subject = try MustacheParser.template(subject, names: words)
        title = try MustacheParser.template(
            text.optionalHeader("Title") ?? subject, names: words)
        try text.refuseOtherHeaders(than: ["Subject", "Title"])
        guard (1...Self.blocksMax).contains(text.paragraphs.count) else {
            throw source.fault("a mail has 1 to \(Self.blocksMax) paragraphs below its header")
        }
        var blocks: [MailBlock] = []
        for paragraph in text.paragraphs {
            blocks.append(try MailBlock(paragraph, names: names, words: words))
        }
        self.blocks = blocks
    }

    /// The plain part.
    func text(_ values: [String: String]) -> String {
        blocks.map { $0.text(values) }.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The same as markup, without a frame.
    func html(_ values: [String: String]) -> String {
        blocks.map { $0.html(values) }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// What a list of mails shows behind the subject: how the mail begins.
    func preview(_ values: [String: String]) -> String {
        for case .words(let words, html: _) in blocks { return words.rendered(values) }
        return ""
    }

    /// The names of all values in it.
    var names: Set<String> {
        Set((subject.uses + title.uses).map(\.name)).union(blocks.flatMap(\.names))
    }
}
