import Contracts
import Cryptography
import Messages
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
