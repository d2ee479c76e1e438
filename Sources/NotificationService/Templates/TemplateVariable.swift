package import Contracts
import ServiceRuntime

extension TemplateVariable {
    /// The longest value, in bytes. A link with a token has a few hundred.
    package static let bytesMax = 2_048

    /// The longest device name, time and so on, in bytes.
    private static let wordsBytesMax = 256
    /// The number of digits and letters in a code.
    private static let codeCount = 4...12
    /// The variables that are links: each is alone in its paragraph.
    static let links: [TemplateVariable] = [.link, .notMeLink, .securityLink]

    /// Whether `value` is valid for this variable. A link is `http` or `https` in printable ASCII
    /// without quotes or brackets: `javascript:` in an `href` would be executed, and a line break
    /// could fake a link in the text part. Names and times are one line of letters, numbers and a
    /// few marks: with a dot, a slash or an at sign mail programs would turn a stranger's input
    /// into a link.
    package func allows(_ value: String) -> Bool {
        switch self {
        case .link:
            (value.hasPrefix("https://") || value.hasPrefix("http://"))
                && value.utf8.count <= Self.bytesMax
                && value.utf8.allSatisfy { byte in
                    (33...126).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
                }
        case .device, .time, .name, .method, .methods: Self.areWords(value, marks: " '’-():")
        case .place: Self.areWords(value, marks: " '’-():,")
        case .address: MailAddress(value) != nil
        case .code:
            Self.codeCount.contains(value.utf8.count)
                && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        case .minutes, .count:
            (1...4).contains(value.utf8.count) && value.allSatisfy { $0.isASCII && $0.isNumber }
        case .validity: value.isEmpty || TemplateVariable.minutes.allows(value)
        case .notMeLink, .securityLink: value.isEmpty || TemplateVariable.link.allows(value)
        }
    }

    /// The display form of `value` for readers of `language`.
    fileprivate func shown(_ value: String, in language: Language) -> String {
        switch self {
        case .time: language.text(ofMoment: value) ?? value
        case .method: language.method(value)
        case .methods:
            language.words.list(
                value.split(separator: " ").map { language.method(String($0)) })
        // Enough for the owner to recognise the address. Too little for a stranger who chose it to
        // convey a message in it, or for mail programs to turn it into a link.
        case .address: MaskedRecipient.email(value)
        case .validity: Int(value).map(language.words.span(ofMinutes:)) ?? value
        case .link, .notMeLink, .securityLink, .device, .name, .place, .code, .minutes, .count:
            value
        }
    }

    private static func areWords(_ value: String, marks: String) -> Bool {
        value.utf8.count <= wordsBytesMax
            && value.allSatisfy { $0.isLetter || $0.isNumber || marks.contains($0) }
    }
}

extension [TemplateVariable] {
    /// The names that a template with these variables may use: theirs, and the app's name.
    var allowedNames: [String] { ["product"] + map(\.rawValue) }

    /// Each choice of those that may be empty, first that of none: 2ⁿ for n of them.
    var gaps: [[TemplateVariable]] {
        filter(\.mayBeEmpty).reduce([[]]) { choices, variable in
            choices + choices.map { $0 + [variable] }
        }
    }

    /// The display form of each value, by the names that templates use.
    /// - Throws: `TemplateRenderingError` when the value of one of these variables is missing.
    func shown(
        _ values: [TemplateVariable: String], product: HeaderText, in language: Language
    ) throws(TemplateRenderingError) -> [String: String] {
        var texts = ["product": product.text]
        for variable in self {
            guard let value = values[variable] ?? variable.defaultValue else {
                throw TemplateRenderingError(missing: variable)
            }
            texts[variable.rawValue] = variable.shown(value, in: language)
        }
        return texts
    }
}

/// Why a message could not be rendered.
package struct TemplateRenderingError: Error, Hashable, CustomStringConvertible {
    /// The variable without a value; nil when a rendered text is not allowed in its position, for
    /// example a subject that is too long.
    package let missing: TemplateVariable?

    /// For the operator. Without values: they may be personal.
    package var description: String {
        if let missing { return "{{\(missing.rawValue)}} has no value" }
        return "its subject is empty, has more than \(HeaderText.bytesMax) bytes, "
            + "or has a control character"
    }
}
