import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// The operator's rpcs on webhooks, used by `postern webhooks`.
package struct WebhookOperations: WebhooksService {
    /// The maximum number of webhooks of one installation.
    static let webhooksMax = 50
    /// How long the previous secret signs besides the new one.
    static let formerSecretFor: Duration = .seconds(24 * 3_600)

    let store: Store
    let vault: WebhookVault
    let targets: WebhookTargets
    let randomness: any Randomness
    let alarm: WakeSignal

    /// Adds a webhook. Only this answer contains its secret.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   with the fields at fault; `rpc/resource-exhausted` when there are `webhooksMax`; store
    ///   errors.
    package func addWebhook(
        _ request: NotificationV1.AddWebhookRequest, _ context: CallContext
    ) async throws -> NotificationV1.AddWebhookResponse {
        try context.requireOperator()
        guard targets.url(request.url) != nil else {
            throw ServiceError(
                .invalidArgument, fields: ["url"],
                detail: "must be an https URL without user, password and fragment")
        }
        guard let filter = WebhookFilter(request.events) else {
            throw ServiceError(
                .invalidArgument, fields: ["events"],
                detail: "each must be an event's name, or a prefix followed by *")
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

    /// Lists all webhooks.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; store errors.
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

    /// Removes a webhook and its queued deliveries. Idempotent.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   for a malformed id; store errors.
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

    /// Gives a webhook a new secret. The previous one signs too for `formerSecretFor`.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   for an unknown webhook; `SealedBoxError` when its row does not decrypt; store errors.
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

    /// Pauses or resumes a webhook.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   for an unknown webhook; store errors.
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

    /// Sends the events after a position again. Queued deliveries are dropped and queued again in
    /// their position, so that the order is kept. The worker queues the events in slices.
    /// - Throws: as `pauseWebhook`.
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
    /// A webhook as the operator sees it. A row that does not decrypt is listed without its URL, so
    /// that the webhook can be removed and the listing does not fail.
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

    /// The position of the first event that is queued for a webhook; nil if there is none.
    fileprivate func firstWaiting(for id: WebhookID) throws -> Int64? {
        try queryOne(
            "SELECT min(event) FROM webhook_delivery WHERE webhook = ?", [.integer(id.key)]
        ) { try $0.optionalInteger(0) } ?? nil
    }
}
