import Contracts
import ServiceRuntime

/// One paragraph of a mail, in text and in HTML.
enum MailBlock: Sendable {
    /// One line of facts. It is left out if a variable of `needs` has no value.
    struct Fact: Sendable {
        let needs: [String]
        let text: MustacheTemplate
        let html: MustacheTemplate
    }

    case words(MustacheTemplate, html: MustacheTemplate)
    /// Of a link, which is the variable of that name. Left out if the link is empty.
    case button(label: MustacheTemplate, html: MustacheTemplate, link: String)
    case code
    case facts([Fact])

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
        } else if source.text.hasPrefix("["), let link = Self.link(endOf: source.text, names) {
            let label = source.text.dropFirst().dropLast(Self.end(of: link).count)
            let links = TemplateVariable.links.map(\.rawValue)
            let template = try MustacheParser.template(
                TemplateSource(file: source.file, line: source.line, text: String(label)),
                names: words.filter { !links.contains($0) })
            self = .button(label: template, html: template.forWordsInHTML, link: link)
        } else if source.text.hasPrefix("- ") {
            self = .facts(try Self.facts(source, words))
        } else {
            let template = try Self.words(source, words)
            self = .words(template, html: template.forWordsInHTML)
        }
    }

    /// How a paragraph ends that is a button of a link.
    private static func end(of link: String) -> String { "]({{\(link)}})" }

    /// The link that a paragraph ends with; nil for none of the template's.
    private static func link(endOf text: String, _ names: [String]) -> String? {
        TemplateVariable.links.map(\.rawValue).first { link in
            names.contains(link) && text.hasSuffix(end(of: link))
        }
    }

    func text(_ values: [String: String]) -> String {
        switch self {
        case .words(let words, html: _): words.rendered(values)
        case .button(label: let label, html: _, link: let link):
            Self.filled(values[link]).map { "\(label.rendered(values))\n\($0)" } ?? ""
        case .code: values["code"] ?? ""
        case .facts(let facts):
            shown(facts, values).map { "- " + $0.text.rendered(values) }.joined(separator: "\n")
        }
    }

    func html(_ values: [String: String]) -> String {
        switch self {
        case .words(_, let html):
            Self.paragraphHTML(html.rendered(values, escape: HTMLText.escape))
        case .button(label: _, html: let html, link: let link):
            Self.filled(values[link]).map {
                Self.buttonHTML(
                    html.rendered(values, escape: HTMLText.escape), link: HTMLText.escape($0))
            } ?? ""
        case .code: Self.codeHTML(HTMLText.escape(values["code"] ?? ""))
        case .facts(let facts):
            Self.factsHTML(
                shown(facts, values).map { $0.html.rendered(values, escape: HTMLText.escape) })
        }
    }

    /// Nil for an empty value.
    private static func filled(_ value: String?) -> String? {
        value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The facts whose variables all have values.
    private func shown(_ facts: [Fact], _ values: [String: String]) -> [Fact] {
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

    /// Parses text with variables. A link is rejected with a hint to the right form; a section of
    /// one is allowed.
    private static func words(
        _ source: TemplateSource, _ words: [String]
    ) throws(TemplateFault) -> MustacheTemplate {
        for link in TemplateVariable.links.map(\.rawValue)
        where source.text.contains("{{\(link)}}") {
            throw source.fault(
                "{{\(link)}} must be alone in its paragraph, as [words]({{\(link)}})")
        }
        return try MustacheParser.template(source, names: words)
    }
}

/// The elements of an HTML mail. Styles are inline, because some mail programs drop style sheets;
/// the classes are for the layout's dark colours. The caller has escaped all text.
extension MailBlock {
    private static func paragraphHTML(_ words: String) -> String {
        words.isEmpty ? "" : "<p class=\"words\" style=\"margin:0 0 16px\">\(words)</p>"
    }

    /// A button, with the link itself below it for mail programs that show no button, and for
    /// readers who want to see the target.
    private static func buttonHTML(_ label: String, link: String) -> String {
        """
        <p style="margin:24px 0 12px"><a class="button" href="\(link)" style="display:inline-block;\
        padding:12px 24px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-weight:600;\
        text-decoration:none">\(label)</a></p>
        <p class="quiet" style="margin:0 0 24px;font-size:13px;line-height:1.4;color:#5b6472;\
        word-break:break-all"><a class="link" href="\(link)" style="color:#1d4ed8">\(link)</a></p>
        """
    }

    /// A code, in large type, and unbroken so that a touch selects it.
    private static func codeHTML(_ code: String) -> String {
        """
        <p class="box" style="margin:24px 0;padding:16px;border-radius:8px;background:#eef1f6;\
        font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:28px;\
        line-height:1.2;letter-spacing:4px;text-align:center">\(code)</p>
        """
    }

    /// A box with one line per fact.
    private static func factsHTML(_ facts: [String]) -> String {
        guard !facts.isEmpty else { return "" }
        let lines = facts.joined(separator: "<br>\n")
        return """
            <p class="box" style="margin:20px 0;padding:14px 16px;border-radius:8px;\
            background:#eef1f6">\(lines)</p>
            """
    }
}
