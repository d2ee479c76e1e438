import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// Removes a webhook and its queued deliveries. Idempotent.
    func removeWebhook(
        _ request: NotificationV1.RemoveWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.RemoveWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        try await store.write(about: [
            .table("webhook"), .table("event_origin"), .webhook(id),
        ]) { transaction in
            guard try transaction.removeWebhook(id) else { return }
            if try transaction.webhooks().isEmpty { try transaction.forgetFeedPositions() }
            try transaction.audit(AuditEvent(.webhookRemoved).by(context.application))
        }
        return NotificationV1.RemoveWebhookResponse()
    }
}
