import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// Returns one message with its failed attempts.
    func showMessage(
        _ request: NotificationV1.ShowMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.ShowMessageResponse {
        try context.requireOperator()
        let (id, now) = (try Self.id(request.messageId), time.now())
        return try await store.read { session in
            guard let message = try session.summary(of: id, at: now) else {
                throw ServiceError(.notFound, fields: ["message_id"])
            }
            return NotificationV1.ShowMessageResponse(
                message: message, failedTries: try session.failedTries(of: id))
        }
    }
}
