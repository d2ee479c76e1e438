import Contracts
package import Messages
package import RPC
import ServiceRuntime

/// Accepts text messages (N-02): checks the request, then accepts it like every other message.
package struct TextMessages: TextMessagesService {
    private let acceptance: MessageAcceptance
    private let wording: any SMSAndPushWording

    /// A handler that accepts messages through `acceptance`.
    package init(acceptance: MessageAcceptance, wording: any SMSAndPushWording) {
        self.acceptance = acceptance
        self.wording = wording
    }

    /// Accepts one text message.
    /// - Throws: `rpc/invalid-argument` with the fields at fault; what `MessageAcceptance.accept`
    ///   throws.
    package func sendText(
        _ request: NotificationV1.SendTextRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendTextResponse {
        let order = try SMSOrder(request, wording)
        let id = try await acceptance.accept(
            order, method: TextMessagesDescription.sendText.name, context)
        return NotificationV1.SendTextResponse(messageId: id.text)
    }
}

extension SMSOrder {
    /// Checks and converts a request.
    /// - Throws: `ServiceError` `rpc/invalid-argument` with the fields at fault.
    init(
        _ request: NotificationV1.SendTextRequest, _ wording: any SMSAndPushWording
    ) throws(ServiceError) {
        guard let number = PhoneNumber(request.recipient) else {
            throw ServiceError(.invalidArgument, fields: ["recipient"])
        }
        let variables = try SMSAndPushRequest.pairs(request.variables, "variables")
        self.init(
            recipient: number.text, template: request.template,
            lane: try SMSAndPushRequest.lane(request.template, variables, on: .sms, wording),
            language: try SMSAndPushRequest.language(request.language), variables: variables,
            expiresAt: try SMSAndPushRequest.moment(request.expiresAtMs),
            account: request.accountId.isEmpty
                ? nil : try SMSAndPushRequest.account(request.accountId))
    }
}
