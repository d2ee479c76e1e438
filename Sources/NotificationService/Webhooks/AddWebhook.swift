import Messages
import RPC
import ServiceRuntime
import Storage

extension WebhooksHandler {
    /// Adds a webhook. Only this answer contains its secret.
    func addWebhook(
        _ request: NotificationV1.AddWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.AddWebhookResponse {
        try context.requireOperator()
        guard let url = targets.url(request.url) else {
            throw ServiceError(
                .invalidArgument, fields: ["url"],
                detail: "must be an https URL without user, password and fragment")
        }
        guard targets.allowsHost(of: url) else {
            throw ServiceError(
                .invalidArgument, fields: ["url"],
                detail: "its host is an address of this machine or of a private network, which "
                    + "only the setting webhook-targets=any allows")
        }
        guard let filter = WebhookFilter(request.events),
            filter.isUseful(for: AuditKind.allCases.map(\.rawValue))
        else {
            throw ServiceError(
                .invalidArgument, fields: ["events"],
                detail: "each must be an event's name, or a prefix of one followed by *")
        }
        let id = WebhookID.drawn(from: randomness)
        let secret = WebhookSecret.drawn(from: randomness)
        let target = try vault.seal(Array(request.url.utf8), .target, of: id)
        let sealed = try vault.seal(secret.bytes, .secret, of: id)
        let listed = try await store.write(about: [.table("webhook")]) { transaction in
            guard try transaction.webhooks().count < Self.webhooksMax else {
                throw ServiceError(
                    .resourceExhausted, detail: "there are \(Self.webhooksMax) webhooks already")
            }
            try transaction.insert(webhook: id, target: target, secret: sealed, filter: filter)
            try transaction.audit(AuditEvent(.webhookAdded).by(context.application))
            return try transaction.webhook(id).map { try transaction.listed($0, vault) }
        }
        signal.wake()
        return NotificationV1.AddWebhookResponse(webhook: listed, secret: secret.text)
    }
}
