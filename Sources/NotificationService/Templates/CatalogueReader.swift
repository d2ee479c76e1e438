import Contracts
import ServiceRuntime

/// Reads every template and collects all errors instead of stopping at the first one, so that an
/// operator can fix a folder in one go.
struct CatalogueReader {
    private let operators: OperatorTemplates
    private let formal: FormalLanguages
    private var faults: [TemplateFault]

    init(_ operators: OperatorTemplates, formal: FormalLanguages) {
        self.operators = operators
        self.formal = formal
        faults = operators.faults
    }

    /// - Throws: `TemplateFaults` if there are any.
    func finish() throws(TemplateFaults) {
        guard faults.isEmpty else { throw TemplateFaults(faults: faults) }
    }

    mutating func mails() -> [MailTemplate: [Language: MailWording]] {
        let reader = self
        return read(.mail) { (source, template, language) throws(TemplateFault) in
            var wording = try MailWording(source, variables: template.variables)
            wording.operatorHTML = try reader.html(of: template, language)
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
                    source(.text, "footer", language), variables: [])
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
                    let source = try source(kind, template.rawValue, language)
                    all[template, default: [:]][language] = try parse(source, template, language)
                } catch {
                    faults.append(error)
                }
            }
        }
        return all
    }

    /// The operator's text of a template, or the built-in one; of each first the one in the formal
    /// voice if the language is formal.
    private func source(
        _ kind: OperatorFileName.Kind, _ template: String, _ language: Language
    ) throws(TemplateFault) -> TemplateSource {
        let names = names(kind, template, language)
        for name in names {
            if let own = operators.source(name.text) { return own }
        }
        for name in names {
            if let text = TemplateSource(builtIn: name) { return text }
        }
        throw TemplateFault(file: names[0].text, line: 0, sentence: "there is no built-in text")
    }

    /// The operator's HTML of a mail; nil if there is none.
    private func html(
        of template: MailTemplate, _ language: Language
    ) throws(TemplateFault) -> MustacheTemplate? {
        for name in names(.html, template.rawValue, language) {
            guard let source = operators.source(name.text) else { continue }
            let html = try MustacheParser.template(source, names: template.variables.allowedNames)
            try HTMLPositions.check(html, of: source)
            return html
        }
        return nil
    }

    private func names(
        _ kind: OperatorFileName.Kind, _ template: String, _ language: Language
    ) -> [OperatorFileName] {
        (formal.contains(language) ? [true, false] : [false]).map {
            OperatorFileName(kind: kind, template: template, language: language, isFormal: $0)
        }
    }
}
