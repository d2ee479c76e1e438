import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// Lists all webhooks.
    func listWebhooks(
        _ request: NotificationV1.ListWebhooksRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListWebhooksResponse {
        try context.requireOperator()
        let vault = vault
        return NotificationV1.ListWebhooksResponse(
            webhooks: try await store.read { session in
                try session.webhooks().map { try session.listed($0, vault) }
            })
    }
}
