/// A page that shows messages as readers will see them, with sample values: each mail on a phone
/// and on a wide screen, in light and dark colours, and as text. It needs no running service and no
/// remote content.
package struct TemplatePreview: Sendable {
    /// The widths of mails in CSS pixels: a phone, and a window of a mail program.
    private static let widths = [375, 800]

    let catalogue: TemplateCatalogue
    let product: HeaderText

    /// A preview of `catalogue`, with `product` as the app's name.
    package init(_ catalogue: TemplateCatalogue, product: HeaderText) {
        self.catalogue = catalogue
        self.product = product
    }

    /// Renders the page.
    /// - Parameters:
    ///   - name: the name of a template; `all` for every one.
    /// - Returns: nil if there is no template of that name.
    /// - Throws: `TemplateMistake`.
    package func page(_ name: String, in language: Language) throws(TemplateMistake) -> String? {
        var sections: [String] = []
        for mail in MailTemplate.allCases where name == "all" || name == mail.rawValue {
            sections.append(try section(mail, language))
        }
        for text in SMSTemplate.allCases where name == "all" || name == text.rawValue {
            let words = try catalogue.text(
                text, language: language.rawValue, product: product, values: samples)
            sections.append(short("sms", text.rawValue, words))
        }
        for push in PushTemplate.allCases where name == "all" || name == push.rawValue {
            let words = try catalogue.push(
                push, language: language.rawValue, product: product, values: samples)
            sections.append(short("push", push.rawValue, "\(words.title)\n\(words.body)"))
        }
        guard !sections.isEmpty else { return nil }
        return PreviewPage.page(
            title: "\(name), \(language.rawValue)", language: language, sections: sections)
    }

    private var samples: [TemplateVariable: String] {
        Dictionary(uniqueKeysWithValues: TemplateVariable.allCases.map { ($0, $0.sample) })
    }

    private func section(
        _ template: MailTemplate, _ language: Language
    ) throws(TemplateMistake) -> String {
        let mail = try catalogue.mail(
            template, language: language.rawValue, product: product, values: samples)
        let frames = [false, true].flatMap { isDark in
            Self.widths.map { PreviewPage.frame(mail.html, width: $0, isDark: isDark) }
        }
        return PreviewPage.section(
            "mail \(template.rawValue) · \(mail.subject.text)", text: mail.text, frames: frames)
    }

    private func short(_ kind: String, _ name: String, _ words: String) -> String {
        PreviewPage.section("\(kind) \(name)", text: words, frames: [])
    }
}
