import CallRecords
import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// What the operator can do about webhooks: `postern webhooks`.
package struct WebhookOperations: WebhooksService {
    /// Webhooks of one installation.
    static let webhooksMax = 50
    /// How long a former secret signs beside the new one.
    static let formerSecretFor: Duration = .seconds(24 * 3_600)

    let store: Store
    let vault: WebhookVault
    let targets: WebhookTargets
    let randomness: any Randomness
    let alarm: DeliverySignal

    package func addWebhook(
        _ request: NotificationV1.AddWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.AddWebhookResponse {
        try context.requireOperator()
        guard targets.url(request.url) != nil else {
            throw ServiceError(
                .invalidArgument, fields: ["url"],
                detail: "it must be an https URL without user, password and fragment")
        }
        guard let filter = WebhookFilter(request.events) else {
            throw ServiceError(
                .invalidArgument, fields: ["events"],
                detail: "each must be an event's name, or its beginning and a star")
        }
        let id = WebhookID.drawn(from: randomness)
        let secret = WebhookSecret.drawn(from: randomness)
        let target = try vault.seal(Array(request.url.utf8), .target, of: id)
        let sealed = try vault.seal(secret.bytes, .secret, of: id)
        let listed = try await store.write { transaction in
            guard try transaction.webhooks().count < Self.webhooksMax else {
                throw ServiceError(
                    .resourceExhausted, detail: "there are \(Self.webhooksMax) webhooks already")
            }
            try transaction.insert(webhook: id, target: target, secret: sealed, filter: filter)
            try transaction.audit(AuditEvent(.webhookAdded))
            return try transaction.webhook(id).map { try transaction.listed($0, vault) }
        }
        alarm.wake()
        return NotificationV1.AddWebhookResponse(webhook: listed, secret: secret.text)
    }

    package func listWebhooks(
        _ request: NotificationV1.ListWebhooksRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListWebhooksResponse {
        try context.requireOperator()
        let vault = vault
        return NotificationV1.ListWebhooksResponse(
            webhooks: try await store.read { session in
                try session.webhooks().map { try session.listed($0, vault) }
            })
    }

    package func removeWebhook(
        _ request: NotificationV1.RemoveWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.RemoveWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        try await store.write { transaction in
            guard try transaction.removeWebhook(id) else { return }
            if try transaction.webhooks().isEmpty { try transaction.forgetFeedPositions() }
            try transaction.audit(AuditEvent(.webhookRemoved))
        }
        return NotificationV1.RemoveWebhookResponse()
    }

    package func rotateWebhookSecret(
        _ request: NotificationV1.RotateWebhookSecretRequest, _ context: CallContext
    ) async throws -> NotificationV1.RotateWebhookSecretResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let secret = WebhookSecret.drawn(from: randomness)
        let sealed = try vault.seal(secret.bytes, .secret, of: id)
        let vault = vault
        let until = try await store.write { transaction in
            guard let row = try transaction.webhook(id) else {
                throw Self.unknown
            }
            let until = transaction.at + Self.formerSecretFor
            try transaction.setSecret(
                sealed, former: vault.sealAsFormer(row.secret, of: id), until: until, of: id)
            try transaction.audit(AuditEvent(.webhookSecretRotated))
            return until
        }
        return NotificationV1.RotateWebhookSecretResponse(
            secret: secret.text, formerUntilMs: until.milliseconds)
    }

    package func pauseWebhook(
        _ request: NotificationV1.PauseWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.PauseWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let isPaused = request.paused
        try await store.write { transaction in
            guard try transaction.setPaused(isPaused, id) else { throw Self.unknown }
            if isPaused { try transaction.audit(AuditEvent(.webhookHeldBack)) }
        }
        alarm.wake()
        return NotificationV1.PauseWebhookResponse()
    }

    /// What waited is dropped and waits anew in its place, so that the order stays. The worker
    /// brings the events in a slice at a time.
    package func replayWebhook(
        _ request: NotificationV1.ReplayWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.ReplayWebhookResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let after = max(0, request.after)
        let (from, filter) = try await store.write { transaction in
            guard let row = try transaction.webhook(id),
                let filter = WebhookFilter(text: row.events)
            else { throw Self.unknown }
            let waiting = try transaction.firstWaiting(for: id).map { $0 - 1 } ?? after
            let from = min(after, waiting, row.replayedTo ?? after)
            try transaction.forgetDeliveries(of: id)
            try transaction.setReplayed(to: from, id)
            return (from, filter)
        }
        alarm.wake()
        let count = try await store.read { try $0.events(after: from, wantedBy: filter) }
        return NotificationV1.ReplayWebhookResponse(events: count)
    }

    private static let unknown = ServiceError(
        .invalidArgument, fields: ["webhook_id"], detail: "there is no such webhook")

    private static func id(_ text: String) throws(ServiceError) -> WebhookID {
        guard let id = WebhookID(text: text) else { throw unknown }
        return id
    }
}

extension SQLSession {
    /// A webhook as the operator sees it. One whose row does not open is shown without its URL, so
    /// that it can be removed, and does not end the listing.
    fileprivate func listed(
        _ row: WebhookRow, _ vault: WebhookVault
    ) throws -> NotificationV1.Webhook {
        let webhook: Webhook
        do {
            webhook = try row.opened(vault)
        } catch is SealedBoxError {
            return NotificationV1.Webhook(
                webhookId: row.id.text, createdAtMs: row.createdAt.milliseconds,
                isPaused: row.isPaused, waiting: try waitingEvents(for: row.id),
                lastFailure: WebhookWorker.unreadable, position: try latestEvent())
        }
        return NotificationV1.Webhook(
            webhookId: row.id.text, url: webhook.url, events: webhook.filter.patterns,
            createdAtMs: webhook.createdAt.milliseconds, isPaused: webhook.isPaused,
            waiting: try waitingEvents(for: row.id), lastFailure: webhook.lastFailure ?? "",
            position: try latestEvent())
    }

    /// The first event that still waits for a webhook; nil where none does.
    fileprivate func firstWaiting(for id: WebhookID) throws -> Int64? {
        try queryOne(
            "SELECT min(event) FROM webhook_delivery WHERE webhook = ?", [.integer(id.key)]
        ) { try $0.optionalInteger(0) } ?? nil
    }
}
