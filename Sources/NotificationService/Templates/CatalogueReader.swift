/// Reads every template and collects all errors instead of stopping at the first one, so that an
/// operator can fix a folder in one go.
struct CatalogueReader {
    private let operators: OperatorTemplates
    private var faults: [TemplateFault]

    init(_ operators: OperatorTemplates) {
        self.operators = operators
        faults = operators.faults
    }

    /// - Throws: `TemplateFaults` if there are any.
    func finish() throws(TemplateFaults) {
        guard faults.isEmpty else { throw TemplateFaults(faults: faults) }
    }

    mutating func mails() -> [TemplatePlace<MailTemplate>: MailText] {
        let (all, found) = each { (template: MailTemplate, language) throws(TemplateFault) in
            let wording = try MailWording(
                source(.mail, template.rawValue, language, ours: template.wordings),
                variables: template.variables)
            return MailText(wording: wording, html: try html(template, language))
        }
        faults += found
        return all
    }

    mutating func texts() -> [TemplatePlace<SMSTemplate>: SMSWording] {
        let (all, found) = each { (template: SMSTemplate, language) throws(TemplateFault) in
            try SMSWording(
                source(.sms, template.rawValue, language, ours: template.wordings),
                variables: template.variables)
        }
        faults += found
        return all
    }

    mutating func notices() -> [TemplatePlace<PushTemplate>: PushWording] {
        let (all, found) = each { (template: PushTemplate, language) throws(TemplateFault) in
            try PushWording(
                source(.push, template.rawValue, language, ours: template.wordings),
                variables: template.variables)
        }
        faults += found
        return all
    }

    mutating func footers() -> [Language: MustacheTemplate] {
        var footers: [Language: MustacheTemplate] = [:]
        for language in Language.allCases {
            do throws(TemplateFault) {
                footers[language] = try SMSWording(
                    source(.text, "footer", language, ours: FooterWording.wordings), variables: []
                ).words
            } catch {
                faults.append(error)
            }
        }
        return footers
    }

    mutating func frame() -> MailFrame {
        let ours = TemplateSource(file: MailFrame.fileName, line: 1, text: MailFrame.standard)
        do throws(TemplateFault) {
            return try MailFrame(operators.source(MailFrame.fileName) ?? ours)
        } catch {
            faults.append(error)
            return .empty
        }
    }

    private func each<Template: CaseIterable & Hashable & Sendable, Text>(
        _ read: (Template, Language) throws(TemplateFault) -> Text
    ) -> (all: [TemplatePlace<Template>: Text], found: [TemplateFault]) {
        var all: [TemplatePlace<Template>: Text] = [:]
        var found: [TemplateFault] = []
        for template in Template.allCases {
            for language in Language.allCases {
                do throws(TemplateFault) {
                    all[TemplatePlace(template, language)] = try read(template, language)
                } catch {
                    found.append(error)
                }
            }
        }
        return (all, found)
    }

    /// The operator's HTML of a mail, which replaces ours.
    private func html(
        _ template: MailTemplate, _ language: Language
    ) throws(TemplateFault) -> MustacheTemplate? {
        let name = OperatorFileName(kind: .html, template: template.rawValue, language: language)
        guard let source = operators.source(name.text) else { return nil }
        let html = try MustacheParser.template(
            source, names: ShownValues.common + template.variables.map(\.rawValue))
        try HTMLPositions.check(html, of: source)
        return html
    }

    private func source(
        _ kind: OperatorFileName.Kind, _ template: String, _ language: Language, ours: Wordings
    ) -> TemplateSource {
        let name = OperatorFileName(kind: kind, template: template, language: language).text
        return operators.source(name) ?? TemplateSource(file: name, line: 1, text: ours[language])
    }
}
