/// One paragraph of a mail, in text and in HTML.
enum MailBlock: Sendable {
    /// One line of facts. It is left out if a variable of `needs` has no value.
    struct Fact: Sendable {
        let needs: [String]
        let text: MustacheTemplate
        let html: MustacheTemplate
    }

    case words(MustacheTemplate, html: MustacheTemplate)
    case button(label: MustacheTemplate, html: MustacheTemplate)
    case code
    case facts([Fact])

    private static let linkEnd = "]({{link}})"

    /// Parses a paragraph.
    /// - Parameters:
    ///   - names: the variables that are allowed here.
    ///   - words: those of them that are not a link.
    /// - Throws: `TemplateFault`.
    init(
        _ source: TemplateSource, names: [String], words: [String]
    ) throws(TemplateFault) {
        if source.text == "{{code}}", names.contains("code") {
            self = .code
        } else if source.text.hasPrefix("["), source.text.hasSuffix(Self.linkEnd),
            names.contains("link")
        {
            let label = source.text.dropFirst().dropLast(Self.linkEnd.count)
            let template = try MustacheParser.template(
                TemplateSource(file: source.file, line: source.line, text: String(label)),
                names: words)
            self = .button(label: template, html: template.forWordsInHTML)
        } else if source.text.hasPrefix("- ") {
            self = .facts(try Self.facts(source, words))
        } else {
            let template = try Self.words(source, words)
            self = .words(template, html: template.forWordsInHTML)
        }
    }

    func text(_ values: [String: String]) -> String {
        switch self {
        case .words(let words, html: _): words.rendered(values)
        case .button(let label, html: _):
            "\(label.rendered(values))\n\(values["link"] ?? "")"
        case .code: values["code"] ?? ""
        case .facts(let facts):
            standing(facts, values).map { "- " + $0.text.rendered(values) }.joined(separator: "\n")
        }
    }

    func html(_ values: [String: String]) -> String {
        switch self {
        case .words(_, let html):
            MailMarkup.paragraph(html.rendered(values, escape: HTMLText.escape))
        case .button(_, let html):
            MailMarkup.button(
                html.rendered(values, escape: HTMLText.escape),
                link: HTMLText.escape(values["link"] ?? ""))
        case .code: MailMarkup.code(HTMLText.escape(values["code"] ?? ""))
        case .facts(let facts):
            MailMarkup.facts(
                standing(facts, values).map { $0.html.rendered(values, escape: HTMLText.escape) })
        }
    }

    /// The names of all variables in it.
    var names: [String] {
        switch self {
        case .words(let words, html: _): words.uses.map(\.name)
        case .button(let label, html: _): label.uses.map(\.name) + ["link"]
        case .code: ["code"]
        case .facts(let facts): facts.flatMap { $0.text.uses.map(\.name) }
        }
    }

    private func standing(_ facts: [Fact], _ values: [String: String]) -> [Fact] {
        facts.filter { fact in fact.needs.allSatisfy { !(values[$0] ?? "").isEmpty } }
    }

    private static func facts(
        _ source: TemplateSource, _ words: [String]
    ) throws(TemplateFault) -> [Fact] {
        var facts: [Fact] = []
        for (offset, line) in source.text.split(separator: "\n").enumerated() {
            let place = TemplateSource(
                file: source.file, line: source.line + offset, text: String(line.dropFirst(2)))
            guard line.hasPrefix("- ") else {
                throw place.fault("in a list of facts each line must begin with \"- \"")
            }
            let template = try Self.words(place, words)
            facts.append(
                Fact(needs: template.valueNames, text: template, html: template.forWordsInHTML))
        }
        return facts
    }

    /// Parses text with variables. `{{link}}` is rejected with a hint to the right form.
    private static func words(
        _ source: TemplateSource, _ words: [String]
    ) throws(TemplateFault) -> MustacheTemplate {
        guard !source.text.contains("{{link}}") else {
            throw source.fault("{{link}} must be alone in its paragraph, as [words]({{link}})")
        }
        return try MustacheParser.template(source, names: words)
    }
}
