import Messages
import ServiceRuntime

/// A request for a mail whose every part can be used: the recipient is an address, the template is
/// known, its variables are there. Checked at the door, and once more when it is read back.
struct EmailOrder: Sendable {
    /// Variables in a request, known or not.
    private static let variablesMax = 32
    /// BCP 47 says 35 is enough (RFC 5646, 4.4.1).
    private static let languageBytesMax = 35

    let recipient: MailAddress
    let template: MailTemplate
    let language: String
    let values: [TemplateVariable: String]
    let expiresAt: Timestamp?

    /// - Throws: `ServiceError`: `auth/invalid-email`, or `rpc/invalid-argument` with the fields
    ///   at fault.
    init(_ request: NotificationV1.SendEmailRequest) throws(ServiceError) {
        guard let recipient = MailAddress(request.recipient) else {
            throw ServiceError(.invalidEmail, fields: ["recipient"])
        }
        guard let template = MailTemplate(rawValue: request.template) else {
            throw ServiceError(.invalidArgument, fields: ["template"], detail: "unknown template")
        }
        guard Self.isLanguage(request.language) else {
            throw ServiceError(.invalidArgument, fields: ["language"])
        }
        guard request.expiresAtMs >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["expires_at_ms"])
        }
        self.recipient = recipient
        self.template = template
        language = request.language
        values = try Self.values(request.variables, for: template)
        expiresAt =
            request.expiresAtMs == 0 ? nil : Timestamp(milliseconds: request.expiresAtMs)
    }

    /// The template's variables. Others are left alone, so that a newer caller may bring more.
    private static func values(
        _ variables: [NotificationV1.Variable], for template: MailTemplate
    ) throws(ServiceError) -> [TemplateVariable: String] {
        guard variables.count <= variablesMax,
            Set(variables.map(\.name)).count == variables.count
        else {
            throw ServiceError(
                .invalidArgument, fields: ["variables"], detail: "too many, or one twice")
        }
        var values: [TemplateVariable: String] = [:]
        for wanted in template.variables {
            let given = variables.first { $0.name == wanted.rawValue }
            guard let given, wanted.allows(given.value) else {
                throw ServiceError(
                    .invalidArgument, fields: ["variables.\(wanted.rawValue)"],
                    detail: given == nil ? "a variable is missing" : "a value cannot be used")
            }
            values[wanted] = given.value
        }
        return values
    }

    private static func isLanguage(_ tag: String) -> Bool {
        tag.utf8.count <= languageBytesMax
            && tag.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-": true
                default: false
                }
            }
    }
}
