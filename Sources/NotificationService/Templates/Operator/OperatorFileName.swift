import Contracts
import ServiceRuntime

/// The name of a text's file, in an operator's template folder and in `Texts`:
/// `verify-email.de.mail`, or `verify-email.de-formal.mail` in the language's formal voice.
struct OperatorFileName: Hashable {
    /// A file's content, by its name's suffix.
    enum Kind: String, CaseIterable {
        /// The text of a mail (`MailWording`).
        case mail
        /// HTML that replaces the generated one; text part and subject are still from the text.
        case html
        /// A text message.
        case sms
        /// A push notice.
        case push
        /// `footer.de.text`: the footer of every mail.
        case text

        /// The templates that can have such a file.
        var templates: [String] {
            switch self {
            case .mail, .html: MailTemplate.allCases.map(\.rawValue)
            case .sms: SMSTemplate.allCases.map(\.rawValue)
            case .push: PushTemplate.allCases.map(\.rawValue)
            case .text: ["footer"]
            }
        }

        /// The folder of `Texts` with the built-in files; nil for a kind that has none.
        var folder: String? {
            switch self {
            case .mail, .text: "mail"
            case .sms: "sms"
            case .push: "push"
            case .html: nil
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
    let isFormal: Bool

    var text: String {
        "\(template).\(language.rawValue)\(isFormal ? Self.formal : "").\(kind.rawValue)"
    }

    private static let formal = "-formal"

    init(kind: Kind, template: String, language: Language, isFormal: Bool = false) {
        self.kind = kind
        self.template = template
        self.language = language
        self.isFormal = isFormal
    }

    /// Parses a name. A file that would not be used is an error, because its author expects it to
    /// be in force.
    /// - Throws: `TemplateFault`.
    init(_ text: String) throws(TemplateFault) {
        func fault(_ sentence: String) -> TemplateFault {
            TemplateFault(file: text, line: 0, sentence: sentence)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = Kind(rawValue: parts[2]) else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(
                "a file's name must be NAME.LANGUAGE.KIND, with one of the kinds \(kinds); or "
                    + MailFrame.fileName)
        }
        guard kind.templates.contains(parts[0]) else {
            throw fault(
                "\(parts[0]) is not a template of kind \(kind.rawValue): "
                    + kind.templates.joined(separator: ", "))
        }
        let isFormal = parts[1].hasSuffix(Self.formal)
        let tag = isFormal ? String(parts[1].dropLast(Self.formal.count)) : parts[1]
        guard let language = Language(rawValue: tag) else {
            let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault("the language \(tag) is none of \(known)")
        }
        guard !isFormal || language.hasFormalVoice else {
            throw fault("the language \(tag) has no formal voice")
        }
        self.init(kind: kind, template: parts[0], language: language, isFormal: isFormal)
    }
}
