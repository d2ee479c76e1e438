import ServiceRuntime

/// An operator's URL to which events go.
struct Webhook: Sendable {
    let id: WebhookID
    /// Checked by the parser that dials it, when it was added.
    let url: String
    let secret: WebhookSecret
    /// The one before; it signs too until `formerUntil`.
    let formerSecret: WebhookSecret?
    let formerUntil: Timestamp?
    let filter: WebhookFilter
    let createdAt: Timestamp
    let isPaused: Bool
    /// Why the last try failed; nil where it did not.
    let lastFailure: String?

    /// The secrets that sign at `now`.
    func secrets(at now: Timestamp) -> [WebhookSecret] {
        guard let formerSecret, let formerUntil, now < formerUntil else { return [secret] }
        return [secret, formerSecret]
    }
}
