import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.notification.v1.TextMessages`: text messages to phones (N-02).
struct TextMessagesHandler: TextMessagesService {
    let acceptance: MessageAcceptance
}

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
