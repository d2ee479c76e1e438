/// The name of one file of an operator's folder: `verify-email.de.mail`.
struct OperatorFileName: Hashable {
    /// What a file holds, by the end of its name.
    enum Kind: String, CaseIterable {
        /// A mail's words (`MailWording`).
        case mail
        /// Markup in place of what those words make; text and subject stay theirs.
        case html
        /// A text for a phone.
        case sms
        /// A notice for devices.
        case push
        /// `footer.de.text`: what stands below every mail.
        case text

        /// What can be written so.
        var templates: [String] {
            switch self {
            case .mail, .html: MailTemplate.allCases.map(\.rawValue)
            case .sms: SMSTemplate.allCases.map(\.rawValue)
            case .push: PushTemplate.allCases.map(\.rawValue)
            case .text: ["footer"]
            }
        }

        var bytesMax: Int {
            switch self {
            case .mail: MailWording.bytesMax
            case .html: MailFrame.bytesMax
            case .sms, .text: SMSWording.bytesMax
            case .push: PushWording.bytesMax
            }
        }
    }

    let kind: Kind
    let template: String
    let language: Language

    var text: String { "\(template).\(language.rawValue).\(kind.rawValue)" }

    init(kind: Kind, template: String, language: Language) {
        self.kind = kind
        self.template = template
        self.language = language
    }

    /// Reads a name. A file that we would not use is a fault, since its author believes that it is
    /// in force.
    init(_ text: String) throws(TemplateFault) {
        func fault(_ sentence: String) -> TemplateFault {
            TemplateFault(file: text, line: 0, sentence: sentence)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = Kind(rawValue: parts[2]) else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(
                "files are named NAME.LANGUAGE.KIND, with a kind of \(kinds); or "
                    + MailFrame.fileName)
        }
        guard kind.templates.contains(parts[0]) else {
            throw fault(
                "there is no \(parts[0]) among \(kind.rawValue): "
                    + kind.templates.joined(separator: ", "))
        }
        guard let language = Language(rawValue: parts[1]) else {
            let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("the language \(parts[1]) is none of \(known)")
        }
        self.init(kind: kind, template: parts[0], language: language)
    }
}
