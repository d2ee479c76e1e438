import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// Retries a dead message. A message that cannot be retried is returned unchanged.
    func retryMessage(
        _ request: NotificationV1.RetryMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.RetryMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, channel) = try await store.write(about: []) { transaction in
            let channel = try transaction.renew(id, by: context.application)
            return (try transaction.presentSummary(of: id), channel)
        }
        if let channel { delivery.wake(channel) }
        delivery.changes.publish(channel == nil ? [] : [id])
        return NotificationV1.RetryMessageResponse(message: message)
    }
}
