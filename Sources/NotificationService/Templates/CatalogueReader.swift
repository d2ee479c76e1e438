import Contracts

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

    mutating func mails() -> [MailTemplate: [Language: MailWording]] {
        read(.mail) { [operators] (source, template, language) throws(TemplateFault) in
            var wording = try MailWording(source, variables: template.variables)
            wording.operatorHTML = try operators.html(of: template, language)
            return wording
        }
    }

    mutating func texts() -> [SMSTemplate: [Language: MustacheTemplate]] {
        read(.sms) { (source, template, _) throws(TemplateFault) in
            try SMSWording.text(source, variables: template.variables)
        }
    }

    mutating func pushes() -> [PushTemplate: [Language: PushWording]] {
        read(.push) { (source, template, _) throws(TemplateFault) in
            try PushWording(source, variables: template.variables)
        }
    }

    mutating func footers() -> [Language: MustacheTemplate] {
        var footers: [Language: MustacheTemplate] = [:]
        for language in Language.allCases {
            do throws(TemplateFault) {
                footers[language] = try SMSWording.text(
                    operators.source(.text, "footer", language), variables: [])
            } catch {
                faults.append(error)
            }
        }
        return footers
    }

    mutating func frame() -> MailFrame {
        do throws(TemplateFault) {
            return try MailFrame(operators.source(MailFrame.fileName) ?? MailFrame.standard)
        } catch {
            faults.append(error)
            return .empty
        }
    }

    private mutating func read<Template: MessageTemplate, Text>(
        _ kind: OperatorFileName.Kind,
        _ parse: (TemplateSource, Template, Language) throws(TemplateFault) -> Text
    ) -> [Template: [Language: Text]] {
        var all: [Template: [Language: Text]] = [:]
        for template in Template.allCases {
            for language in Language.allCases {
                do throws(TemplateFault) {
                    let source = try operators.source(kind, template.rawValue, language)
                    all[template, default: [:]][language] = try parse(source, template, language)
                } catch {
                    faults.append(error)
                }
            }
        }
        return all
    }
}

extension OperatorTemplates {
    /// The operator's text of a template, or the built-in one.
    fileprivate func source(
        _ kind: OperatorFileName.Kind, _ template: String, _ language: Language
    ) throws(TemplateFault) -> TemplateSource {
        let name = OperatorFileName(kind: kind, template: template, language: language)
        if let own = source(name.text) { return own }
        return try TemplateSource(builtIn: name)
    }

    /// The operator's HTML of a mail; nil if there is none.
    fileprivate func html(
        of template: MailTemplate, _ language: Language
    ) throws(TemplateFault) -> MustacheTemplate? {
        let name = OperatorFileName(kind: .html, template: template.rawValue, language: language)
        guard let source = source(name.text) else { return nil }
        let html = try MustacheParser.template(source, names: template.variables.allowedNames)
        try HTMLPositions.check(html, of: source)
        return html
    }
}
