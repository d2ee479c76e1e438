import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// Sends the events after a position again. Queued deliveries are dropped and queued again in
    /// their position, so that the order is preserved. The worker queues the events in slices.
    func replayWebhook(
        _ request: NotificationV1.ReplayWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.ReplayWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let after = max(0, request.after)
        let (from, filter) = try await store.write(about: [.webhook(id)]) { transaction in
            guard let row = try transaction.webhook(id),
                let filter = WebhookFilter(text: row.events)
            else { throw Self.unknown }
            let waiting = try transaction.firstWaiting(for: id).map { $0 - 1 } ?? after
            let from = min(after, waiting, row.replayedTo ?? after)
            try transaction.forgetDeliveries(of: id)
            try transaction.setReplayed(to: from, id)
            return (from, filter)
        }
        signal.wake()
        let count = try await store.read { try $0.events(after: from, matching: filter) }
        return NotificationV1.ReplayWebhookResponse(events: count)
    }
}

extension SQLSession {
    /// The position of the first event that is queued for a webhook; nil if there is none.
    fileprivate func firstWaiting(for id: WebhookID) throws -> Int64? {
        try queryOne(
            "SELECT min(event) FROM webhook_delivery WHERE webhook = ?", [.integer(id.key)]
        ) { try $0.optionalInteger(0) } ?? nil
    }
}
