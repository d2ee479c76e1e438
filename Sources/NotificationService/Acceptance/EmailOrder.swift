package import Messages
package import ServiceRuntime

/// A validated request for a mail: the recipient is an address, the template is known, its
/// variables are present. Validated when it is accepted, and again when it is read from the store.
package struct EmailOrder: StoredOrder {
    package static var channel: Channel { .email }
    /// Variables in a request, including unknown ones.
    private static let variablesMax = 32
    /// 35 characters suffice for BCP 47 (RFC 5646, 4.4.1).
    private static let languageBytesMax = 35

    /// The recipient.
    package let recipient: MailAddress
    /// The template of the mail.
    package let template: MailTemplate
    /// BCP 47; empty for the default.
    package let language: String
    /// The values of the template's variables.
    package let values: [TemplateVariable: String]
    /// When the mail expires.
    package let expiresAt: Timestamp?
    /// The account that the mail is about.
    package let account: AccountID?
    /// The request's encoded bytes.
    package let storedBytes: [UInt8]

    /// Validates a request.
    /// - Throws: `ServiceError`: `auth/invalid-email`, or `rpc/invalid-argument` with the fields at
    ///   fault.
    package init(_ request: NotificationV1.SendEmailRequest) throws(ServiceError) {
        try self.init(request, storedBytes: request.encoded())
    }

    /// Decodes and validates the stored form.
    /// - Throws: `MessageError`, and as above.
    package init(stored bytes: [UInt8]) throws {
        try self.init(NotificationV1.SendEmailRequest(decoding: bytes), storedBytes: bytes)
    }

    package var recipientKey: [UInt8] { recipient.canonical }
    package var maskedRecipient: String { MaskedRecipient.email(recipient.text) }
    package var templateName: String { template.rawValue }
    package var lane: Lane { template.lane }
    package var holdsCode: Bool { template.variables.contains(.code) }

    private init(
        _ request: NotificationV1.SendEmailRequest, storedBytes: [UInt8]
    ) throws(ServiceError) {
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
        account = AccountID(text: request.accountId)
        guard request.accountId.isEmpty || account != nil else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        self.storedBytes = storedBytes
        self.recipient = recipient
        self.template = template
        language = request.language
        values = try Self.values(request.variables, for: template)
        expiresAt =
            request.expiresAtMs == 0 ? nil : Timestamp(milliseconds: request.expiresAtMs)
    }

    /// The template's variables. Unknown ones are ignored, so that a newer caller may send more.
    private static func values(
        _ variables: [NotificationV1.Variable], for template: MailTemplate
    ) throws(ServiceError) -> [TemplateVariable: String] {
        guard variables.count <= variablesMax,
            Set(variables.map(\.name)).count == variables.count
        else {
            throw ServiceError(
                .invalidArgument, fields: ["variables"], detail: "too many, or duplicates")
        }
        var values: [TemplateVariable: String] = [:]
        for wanted in template.variables {
            let given = variables.first { $0.name == wanted.rawValue }
            guard let given, wanted.allows(given.value) else {
                throw ServiceError(
                    .invalidArgument, fields: ["variables.\(wanted.rawValue)"],
                    detail: given == nil ? "a variable is missing" : "a value is invalid")
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
