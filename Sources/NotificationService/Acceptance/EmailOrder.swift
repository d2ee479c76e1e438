import Contracts
import Messages
import ServiceRuntime

/// A validated request for a mail: the recipient is an address, the template is known, its
/// variables are present. Validated when it is accepted, and again when it is read from the store.
struct EmailOrder: StoredOrder {
    static var channel: Channel { .email }

    /// The recipient.
    let recipient: MailAddress
    /// The template of the mail.
    let template: MailTemplate
    /// BCP 47; empty for the default.
    let language: String
    /// The values of the template's variables.
    let values: [TemplateVariable: String]
    /// When the mail expires.
    let expiresAt: Timestamp?
    /// The account that the mail is about.
    let account: AccountID?
    /// The request's encoded bytes.
    let storedBytes: [UInt8]

    /// Validates a request.
    /// - Throws: `ServiceError`: `auth/invalid-email`, or `rpc/invalid-argument` with the fields at
    ///   fault.
    init(_ request: NotificationV1.SendEmailRequest) throws(ServiceError) {
        try self.init(request, storedBytes: request.encoded())
    }

    /// Decodes and validates the stored form.
    /// - Throws: `MessageError`, and as above.
    init(stored bytes: [UInt8]) throws {
        try self.init(NotificationV1.SendEmailRequest(decoding: bytes), storedBytes: bytes)
    }

    var recipientKey: [UInt8] { recipient.canonical }
    /// Of the recipient of the last mail nothing is shown: the account is gone, so no call would
    /// remove it.
    var maskedRecipient: String {
        template == .deletionDone ? MaskedRecipient.none : MaskedRecipient.email(recipient.text)
    }
    var templateName: String { template.rawValue }
    var lane: Lane { template.lane }
    var mustExpire: Bool { template.variables.contains(.code) || template == .deletionDone }

    private init(
        _ request: NotificationV1.SendEmailRequest, storedBytes: [UInt8]
    ) throws(ServiceError) {
        guard let recipient = MailAddress(request.recipient) else {
            throw ServiceError(.invalidEmail, fields: ["recipient"])
        }
        template = try RequestFields.template(request.template)
        language = try RequestFields.language(request.language)
        expiresAt = try RequestFields.moment(request.expiresAtMs)
        account = try request.accountId.isEmpty ? nil : RequestFields.account(request.accountId)
        guard template != .deletionDone || account == nil else {
            throw ServiceError(
                .invalidArgument, fields: ["account_id"],
                detail: "the last mail names no account: it is gone")
        }
        values = try RequestFields.values(
            RequestFields.pairs(request.variables, "variables"), for: template)
        self.storedBytes = storedBytes
        self.recipient = recipient
    }
}
