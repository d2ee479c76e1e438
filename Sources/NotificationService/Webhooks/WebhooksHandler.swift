import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.notification.v1.Webhooks`: the operator's rpcs on webhooks, used by `postern webhooks`.
struct WebhooksHandler: WebhooksService {
    /// The maximum number of webhooks of one installation.
    static let webhooksMax = 50
    static let unknown = ServiceError(
        .invalidArgument, fields: ["webhook_id"], detail: "there is no such webhook")

    let store: Store
    let vault: WebhookVault
    let targets: WebhookTargets
    let randomness: any Randomness
    /// Wakes the worker after a change.
    let signal: WakeSignal

    /// A handler over the webhooks in `store`, whose events `worker` sends.
    init(
        settings: WebhookSettings, store: Store, keys: NotificationKeys, worker: WebhookWorker,
        randomness: any Randomness
    ) {
        self.store = store
        self.randomness = randomness
        vault = WebhookVault(box: keys.contents)
        targets = settings.targets
        signal = worker.signal
    }

    static func id(_ text: String) throws(ServiceError) -> WebhookID {
        guard let id = WebhookID(text: text) else { throw unknown }
        return id
    }
}

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

    /// How long the previous secret signs besides the new one.
    static let formerSecretFor: Duration = .seconds(24 * 3_600)

    /// Gives a webhook a new secret. The previous one signs too for `formerSecretFor`.
    func rotateWebhookSecret(
        _ request: NotificationV1.RotateWebhookSecretRequest, _ context: CallContext
    ) async throws -> NotificationV1.RotateWebhookSecretResponse {
        try context.requireOperator()
        let id = try Self.id(request.webhookId)
        let secret = WebhookSecret.drawn(from: randomness)
        let sealed = try vault.seal(secret.bytes, .secret, of: id)
        let vault = vault
        let until = try await store.write(about: [.webhook(id)]) { transaction in
            guard let row = try transaction.webhook(id) else {
                throw Self.unknown
            }
            let until = transaction.at + Self.formerSecretFor
            try transaction.setSecret(
                sealed, former: vault.sealAsFormer(row.secret, of: id), until: until, of: id)
            try transaction.audit(AuditEvent(.webhookSecretRotated).by(context.application))
            return until
        }
        return NotificationV1.RotateWebhookSecretResponse(
            secret: secret.text, formerUntilMs: until.milliseconds)
    }
}

extension SQLSession {
    /// The position of the newest event; 0 if none is stored.
    private func lastEvent() throws -> Int64 {
        try queryOne("SELECT coalesce(max(position), 0) FROM event") { try $0.integer(0) } ?? 0
    }

    /// A webhook as the operator sees it. A row that does not decrypt is listed without its URL, so
    /// that the webhook can be removed and the listing does not fail.
    func listed(
        _ row: WebhookRow, _ vault: WebhookVault
    ) throws -> NotificationV1.Webhook {
        var listed = NotificationV1.Webhook(
            webhookId: row.id.text, createdAtMs: row.createdAt.milliseconds,
            isPaused: row.isPaused, waiting: try waitingEvents(for: row.id),
            lastFailure: row.lastFailure ?? "", position: try lastEvent())
        do {
            let webhook = try row.opened(vault)
            listed.url = webhook.url
            listed.events = webhook.filter.patterns
        } catch is SealedBoxError {
            listed.lastFailure = WebhookWorker.unreadable
        }
        return listed
    }
}
