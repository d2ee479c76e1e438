import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// Discards a message. A message that is being delivered or was sent is returned unchanged.
    func discardMessage(
        _ request: NotificationV1.DiscardMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.DiscardMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, isDone) = try await store.write(about: []) { transaction in
            let isDone = try transaction.discard(id, by: context.application)
            return (try transaction.presentSummary(of: id), isDone)
        }
        if isDone {
            delivery.log.recordDeletion()
            delivery.changes.publish([id])
        }
        return NotificationV1.DiscardMessageResponse(message: message)
    }
}
