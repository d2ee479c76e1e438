import Contracts
package import ServiceRuntime

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
    ///   - withGaps: whether each message is also shown with every choice of empty values.
    /// - Returns: nil if there is no template of that name.
    /// - Throws: `TemplateRenderingError`.
    package func page(
        _ name: String, in language: Language, withGaps: Bool = false
    ) throws(TemplateRenderingError) -> String? {
        var sections: [String] = []
        for mail in MailTemplate.allCases where name == "all" || name == mail.rawValue {
            for samples in Self.samples(of: mail, withGaps: withGaps) {
                sections.append(try section(mail, samples, language))
            }
        }
        for text in SMSTemplate.allCases where name == "all" || name == text.rawValue {
            for samples in Self.samples(of: text, withGaps: withGaps) {
                let words = try catalogue.text(
                    text, language: language.rawValue, product: product, values: samples.values)
                sections.append(short("sms", text.rawValue + samples.gaps, words))
            }
        }
        for push in PushTemplate.allCases where name == "all" || name == push.rawValue {
            for samples in Self.samples(of: push, withGaps: withGaps) {
                let words = try catalogue.push(
                    push, language: language.rawValue, product: product, values: samples.values)
                sections.append(
                    short(
                        "push", push.rawValue + samples.gaps, "\(words.title)\n\(words.body)"))
            }
        }
        guard !sections.isEmpty else { return nil }
        return Self.document(
            title: "\(name), \(language.rawValue)", language: language, sections: sections)
    }

    /// Sample values.
    private struct Samples {
        let values: [TemplateVariable: String]
        /// For the heading: which values are empty.
        let gaps: String
    }

    /// All sample values, and with gaps also with each choice of empty ones.
    private static func samples(of template: some MessageTemplate, withGaps: Bool) -> [Samples] {
        let choices = withGaps ? template.variables.gaps : [[]]
        return choices.map { empty in
            let values = TemplateVariable.allCases.map { variable in
                (variable, empty.contains(variable) ? "" : variable.sample)
            }
            let names = empty.map(\.rawValue).joined(separator: ", ")
            return Samples(
                values: Dictionary(uniqueKeysWithValues: values),
                gaps: empty.isEmpty ? "" : " without \(names)")
        }
    }

    private func section(
        _ template: MailTemplate, _ samples: Samples, _ language: Language
    ) throws(TemplateRenderingError) -> String {
        let mail = try catalogue.mail(
            template, language: language.rawValue, product: product, values: samples.values)
        let frames = [false, true].flatMap { isDark in
            Self.widths.map { Self.frame(mail.html, width: $0, isDark: isDark) }
        }
        return Self.section(
            "mail \(template.rawValue)\(samples.gaps) · \(mail.subject.text)", text: mail.text,
            frames: frames)
    }

    private func short(_ kind: String, _ name: String, _ words: String) -> String {
        Self.section("\(kind) \(name)", text: words, frames: [])
    }
}

// MARK: HTML

extension TemplatePreview {
    /// The media query in a mail's style.
    private static let darkQuery = "@media (prefers-color-scheme: dark)"

    private static func document(title: String, language: Language, sections: [String]) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(language.rawValue)">
        <head>
        <meta charset="utf-8">
        <title>\(HTMLText.escape(title))</title>
        <style>
        body { margin: 16px; background: #c9ced6; color: #15181d; font-family: sans-serif; }
        h2 { font-size: 16px; }
        section { margin-bottom: 40px; }
        .row { display: flex; gap: 16px; align-items: flex-start; }
        iframe { border: 0; flex: none; }
        .too-wide { outline: 4px solid #d00000; }
        pre { margin: 0; padding: 12px; width: 375px; flex: none; box-sizing: border-box;
          background: #ffffff; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
        </style>
        </head>
        <body>
        \(sections.joined(separator: "\n"))
        <script>
        addEventListener("load", () => {
          for (const frame of document.querySelectorAll("iframe")) {
            const mail = frame.contentDocument.documentElement;
            frame.style.height = mail.scrollHeight + "px";
            frame.className = mail.scrollWidth > mail.clientWidth ? "too-wide" : "fits";
          }
        });
        </script>
        </body>
        </html>

        """
    }

    private static func section(_ title: String, text: String, frames: [String]) -> String {
        """
        <section>
        <h2>\(HTMLText.escape(title))</h2>
        <div class="row">
        <pre>\(HTMLText.escape(text))</pre>
        \(frames.joined(separator: "\n"))
        </div>
        </section>
        """
    }

    /// A mail in an iframe of its own, in which scripts do not run and links do not navigate the
    /// page. The media query is replaced here, because a page cannot set it for an iframe.
    private static func frame(_ html: String, width: Int, isDark: Bool) -> String {
        let answered = html.replacing(darkQuery, with: isDark ? "@media all" : "@media not all")
        let source = HTMLText.escape(answered)
        return """
            <iframe sandbox="allow-same-origin" width="\(width)" height="100" class="unknown" \
            srcdoc="\(source)"></iframe>
            """
    }
}
