import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// Pauses or resumes a webhook.
    func pauseWebhook(
        _ request: NotificationV1.PauseWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.PauseWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let isPaused = request.paused
        try await store.write(about: [.webhook(id)]) { transaction in
            guard try transaction.setPaused(isPaused, id) else { throw Self.unknown }
            try transaction.audit(
                AuditEvent(isPaused ? .webhookHeldBack : .webhookResumed).by(context.application))
        }
        signal.wake()
        return NotificationV1.PauseWebhookResponse()
    }
}
