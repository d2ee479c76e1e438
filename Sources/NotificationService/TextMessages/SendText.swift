import Contracts
import Messages
import RPC
import ServiceRuntime

extension TextMessagesHandler {
    /// Accepts one text message.
    func sendText(
        _ request: NotificationV1.SendTextRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendTextResponse {
        let order = try SMSOrder(request)
        let id = try await acceptance.accept(
            order, method: TextMessagesDescription.sendText.name, context)
        return NotificationV1.SendTextResponse(messageId: id.text)
    }
}

extension SMSOrder {
    /// Checks and converts a request.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(_ request: NotificationV1.SendTextRequest) throws(ServiceError) {
        guard Self.isE164(request.recipient) else {
            throw ServiceError(.invalidArgument, fields: ["recipient"])
        }
        let variables = try RequestFields.pairs(request.variables, "variables")
        let template: SMSTemplate = try RequestFields.template(request.template)
        try RequestFields.values(variables, for: template)
        self.init(
            recipient: request.recipient, templateName: request.template,
            lane: template.lane,
            language: try RequestFields.language(request.language), variables: variables,
            expiresAt: try RequestFields.moment(request.expiresAtMs),
            account: request.accountId.isEmpty
                ? nil : try RequestFields.account(request.accountId))
    }

    /// Digits after the `+`. The shortest numbers in use have seven with their country code.
    private static let numberDigits = 7...15

    /// Whether a number is in E.164 form: `+`, country code and at most fifteen digits in all
    /// (ITU-T E.164, 6). Other forms are rejected, so that one number has one look-up key.
    static func isE164(_ text: String) -> Bool {
        let number = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && numberDigits.contains(number.count)
            && number.first != UInt8(ascii: "0")
            && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
