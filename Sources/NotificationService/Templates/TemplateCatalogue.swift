package import Contracts
package import ServiceRuntime

/// All templates in all languages, validated (N-05): ours, or the operator's where there are any.
/// Immutable; a new catalogue is made when the operator's files change.
package struct TemplateCatalogue: Sendable {
    /// The language for readers whose language is not known or not supported.
    package let standard: Language
    /// The languages with texts in the formal voice.
    package let formal: FormalLanguages

    private let mails: [MailTemplate: [Language: MailWording]]
    private let texts: [SMSTemplate: [Language: MustacheTemplate]]
    private let pushes: [PushTemplate: [Language: PushWording]]
    private let frame: MailFrame
    private let footers: [Language: MustacheTemplate]

    /// Parses and validates all templates.
    /// - Throws: `TemplateFaults` with all errors.
    package init(
        _ operators: OperatorTemplates = .none, default standard: Language = .english,
        formal: FormalLanguages = .none
    ) throws(TemplateFaults) {
        var reading = CatalogueReader(operators, formal: formal)
        self.formal = formal
        self.standard = standard
        frame = reading.frame()
        mails = reading.mails()
        texts = reading.texts()
        pushes = reading.pushes()
        footers = reading.footers()
        try reading.finish()
    }

    /// Renders a mail.
    /// - Parameters:
    ///   - language: BCP 47, from the account; may be empty.
    ///   - product: the app's name.
    ///   - values: a value for each of the template's variables, validated with
    ///     `TemplateVariable.allows`.
    /// - Throws: `TemplateRenderingError` when a value is missing, or a rendered text is not
    ///   allowed in its position.
    package func mail(
        _ template: MailTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateRenderingError) -> MailContent {
        let language = Language(for: tag, default: standard)
        guard let words = mails[template]?[language] else {
            throw TemplateRenderingError(missing: nil)
        }
        var shown = try template.variables.shown(values, product: product, in: language)
        for link in TemplateVariable.links.map(\.rawValue) {
            shown[link] = shown[link].map { $0.isEmpty ? $0 : PageLink.text($0, in: language) }
        }
        guard let subject = HeaderText(words.subject.rendered(shown)) else {
            throw TemplateRenderingError(missing: nil)
        }
        let footer = footers[language]?.rendered(shown) ?? ""
        let content = words.html(shown)
        let text = words.text(shown) + "\n\n" + footer
        shown["title"] = words.title.rendered(shown)
        shown["preview"] = words.preview(shown)
        shown["footer"] = footer
        return MailContent(
            language: language.rawValue, subject: subject, text: text,
            html: frame.html(shown, content: content, language: language))
    }

    /// Renders a text message.
    /// - Throws: `TemplateRenderingError` when a value is missing.
    package func text(
        _ template: SMSTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateRenderingError) -> String {
        let language = Language(for: tag, default: standard)
        guard let text = texts[template]?[language] else {
            throw TemplateRenderingError(missing: nil)
        }
        var shown = try template.variables.shown(values, product: product, in: language)
        // Of all months only "août" has a letter that GSM 03.38 lacks, by which one segment becomes
        // three. French spells it "aout" too.
        shown["time"] = shown["time"]?.replacing("û", with: "u")
        return text.rendered(shown)
    }

    /// Renders a push notice.
    /// - Throws: `TemplateRenderingError` when a value is missing.
    package func push(
        _ template: PushTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateRenderingError) -> PushWords {
        let language = Language(for: tag, default: standard)
        guard let wording = pushes[template]?[language] else {
            throw TemplateRenderingError(missing: nil)
        }
        let shown = try template.variables.shown(values, product: product, in: language)
        return PushWords(
            title: wording.title.rendered(shown), body: wording.body.rendered(shown))
    }
}

extension TemplateCatalogue {
    /// The text that the phone shows; nil if the template is not known (any more).
    /// - Parameter product: the app's name.
    func text(of order: SMSOrder, product: HeaderText) -> String? {
        guard let template = SMSTemplate(rawValue: order.templateName) else { return nil }
        // An error means a missing variable: a newer program accepted the message and can send it.
        return try? text(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// Title and text; nil if the template is not known (any more).
    /// - Parameter product: the app's name.
    func push(of order: PushOrder, product: HeaderText) -> PushWords? {
        if order.templateName.isEmpty { return PushWords(title: order.title, body: order.body) }
        guard let template = PushTemplate(rawValue: order.templateName) else { return nil }
        // As above.
        return try? push(
            template, language: order.language, product: product,
            values: Self.values(order.variables))
    }

    /// The known variables; of a duplicate name the first.
    private static func values(_ pairs: [OrderPair]) -> [TemplateVariable: String] {
        let known = pairs.compactMap { pair in
            TemplateVariable(rawValue: pair.name).map { ($0, pair.value) }
        }
        return Dictionary(known, uniquingKeysWith: { first, _ in first })
    }
}
