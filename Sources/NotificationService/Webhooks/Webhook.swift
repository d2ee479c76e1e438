import ServiceRuntime

/// An operator's URL that receives events.
struct Webhook: Sendable {
    let id: WebhookID
    /// Validated, when it was added, by the parser that the client uses.
    let url: String
    let secret: WebhookSecret
    /// The previous secret. It also signs, until `formerUntil`.
    let formerSecret: WebhookSecret?
    let formerUntil: Timestamp?
    let filter: WebhookFilter
    let createdAt: Timestamp
    let isPaused: Bool
    /// Why the last attempt failed; nil if it did not.
    let lastFailure: String?

    /// The secrets that sign at `now`.
    func secrets(at now: Timestamp) -> [WebhookSecret] {
        guard let formerSecret, let formerUntil, now < formerUntil else { return [secret] }
        return [secret, formerSecret]
    }
}
