package import Contracts
import ServiceRuntime

/// Lists the templates, for operators who want to write their own.
package enum TemplateListing {
    /// One template.
    package struct Row: Hashable, Sendable {
        /// The suffix of its files: `mail`, `sms`, `push`.
        package let kind: String
        /// The template's name.
        package let name: String
        /// Its priority class.
        package let lane: Lane
        /// The variables that are allowed in it, besides `product`.
        package let variables: [TemplateVariable]
    }

    /// All templates, mails first.
    package static var rows: [Row] {
        rows(of: MailTemplate.self, "mail") + rows(of: SMSTemplate.self, "sms")
            + rows(of: PushTemplate.self, "push")
    }

    private static func rows<Template: MessageTemplate>(
        of type: Template.Type, _ kind: String
    ) -> [Row] {
        Template.allCases.map {
            Row(kind: kind, name: $0.rawValue, lane: $0.lane, variables: $0.variables)
        }
    }

    /// The built-in text for a file of an operator's folder, as a starting point:
    /// `verify-email.de.mail`, or `layout.html`.
    /// - Throws: `TemplateFault` for an invalid name, and for the HTML of a single mail.
    package static func builtIn(_ fileName: String) throws(TemplateFault) -> String {
        if fileName == MailFrame.fileName { return MailFrame.standard.text }
        let name = try OperatorFileName(fileName)
        if let source = TemplateSource(builtIn: name) { return source.text }
        guard name.kind != .html else {
            throw TemplateFault(
                file: fileName, line: 0,
                sentence: "single mails have no built-in HTML: start from \(name.template)."
                    + "\(name.language.rawValue).mail")
        }
        throw TemplateFault(
            file: fileName, line: 0,
            sentence: "its formal voice is the same as \(name.template)."
                + "\(name.language.rawValue).\(name.kind.rawValue)")
    }
}

extension TemplateVariable {
    private static let sampleMethods: [SignInMethod] = [
        .password, BuiltInProvider.google.method, .phone,
    ]

    /// The value in a preview.
    package var sample: String {
        switch self {
        case .link: "https://app.example/open?token=Kq3vX0pZrT8mB2yWc7LdJ5nF1sHgA9uE"
        case .notMeLink: "https://app.example/not-me?token=w3LdJ5nF1sHgA9uEKq3vX0pZrT8mB2yW"
        case .securityLink: "https://app.example/security"
        case .device: "Pixel 9"
        case .time: "2026-01-31 09:05 UTC"
        case .name: "Ada"
        case .place: "Leipzig"
        case .method: SignInMethod.password.name
        case .methods: Self.sampleMethods.map(\.name).joined(separator: " ")
        case .address: "ada@example.org"
        case .code: "482913"
        case .minutes: "5"
        case .count: "3"
        case .validity: "1440"
        }
    }
}
