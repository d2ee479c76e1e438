/// All templates in all languages, validated (N-05): ours, or the operator's where there are any.
/// Immutable; a new catalogue is made when the operator's files change.
package struct TemplateCatalogue: Sendable {
    /// The language for readers whose language is not known or not supported.
    package let standard: Language

    private let mails: [TemplatePlace<MailTemplate>: MailText]
    private let texts: [TemplatePlace<SMSTemplate>: SMSWording]
    private let notices: [TemplatePlace<PushTemplate>: PushWording]
    private let frame: MailFrame
    private let footers: [Language: MustacheTemplate]

    /// Parses and validates all templates.
    /// - Throws: `TemplateFaults` with all errors.
    package init(
        _ operators: OperatorTemplates = .none, default standard: Language = .english
    ) throws(TemplateFaults) {
        var reading = CatalogueReader(operators)
        self.standard = standard
        frame = reading.frame()
        mails = reading.mails()
        texts = reading.texts()
        notices = reading.notices()
        footers = reading.footers()
        try reading.finish()
    }

    /// Renders a mail.
    /// - Parameters:
    ///   - language: BCP 47, from the account; may be empty.
    ///   - product: the app's name.
    ///   - values: a value for each of the template's variables, validated with
    ///     `TemplateVariable.allows`.
    /// - Throws: `TemplateMistake` when a value is missing, or a rendered text is not allowed in
    ///   its position.
    package func mail(
        _ template: MailTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateMistake) -> MailContent {
        let language = Language(for: tag, default: standard)
        guard let mail = mails[TemplatePlace(template, language)] else { throw .unreadable }
        var shown = try ShownValues(
            values, wanted: template.variables, product: product, language: language
        ).texts
        let words = mail.wording
        guard let subject = HeaderText(words.subject.rendered(shown)) else { throw .unreadable }
        let footer = footers[language]?.rendered(shown) ?? ""
        let content =
            mail.html?.rendered(shown, escape: HTMLText.escape) ?? words.html(shown)
        let text = words.text(shown) + "\n\n" + footer
        shown["title"] = words.title.rendered(shown)
        shown["preview"] = words.preview(shown)
        shown["footer"] = footer
        return MailContent(
            language: language.rawValue, subject: subject, text: text,
            html: frame.html(shown, content: content, language: language))
    }

    /// Renders a text message.
    /// - Throws: `TemplateMistake` when a value is missing.
    package func text(
        _ template: SMSTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateMistake) -> String {
        let language = Language(for: tag, default: standard)
        guard let wording = texts[TemplatePlace(template, language)] else { throw .unreadable }
        let shown = try ShownValues(
            values, wanted: template.variables, product: product, language: language)
        return wording.words.rendered(shown.texts)
    }

    /// Renders a push notice.
    /// - Throws: `TemplateMistake` when a value is missing.
    package func push(
        _ template: PushTemplate, language tag: String, product: HeaderText,
        values: [TemplateVariable: String]
    ) throws(TemplateMistake) -> PushWords {
        let language = Language(for: tag, default: standard)
        guard let wording = notices[TemplatePlace(template, language)] else { throw .unreadable }
        let shown = try ShownValues(
            values, wanted: template.variables, product: product, language: language)
        return PushWords(
            title: wording.title.rendered(shown.texts), body: wording.body.rendered(shown.texts))
    }
}

/// A template in one language, as a key.
struct TemplatePlace<Template: Hashable & Sendable>: Hashable, Sendable {
    let template: Template
    let language: Language

    init(_ template: Template, _ language: Language) {
        self.template = template
        self.language = language
    }
}

/// A mail's text, and the operator's HTML that replaces the generated one, if any.
struct MailText: Sendable {
    let wording: MailWording
    let html: MustacheTemplate?
}
