import Cryptography
import Logging
import Metrics
import ServiceRuntime

/// Runs single delivery attempts: decrypts the message, passes it to its channel's route, reports
/// the outcome.
struct DeliveryAttempts: Sendable {
    let routes: [Channel: any MessageRoute]
    let keys: NotificationKeys
    let time: any Time
    let randomness: any Randomness
    let logger: Logger
    private let taken = Counter(label: "deliveries", dimensions: [("outcome", "taken")])
    private let refused = Counter(label: "deliveries", dimensions: [("outcome", "refused")])
    private let failed = Counter(label: "deliveries", dimensions: [("outcome", "failed")])
    private let unavailable = Counter(
        label: "deliveries", dimensions: [("outcome", "unavailable")])
    private let expired = Counter(label: "deliveries", dimensions: [("outcome", "expired")])

    /// Makes one attempt.
    func outcome(_ message: StoredMessage) async -> DeliveryOutcome {
        guard let route = routes[message.channel] else { return .failed(.noRoute) }
        do {
            let bytes = try keys.contents.open(message.content, at: .content(of: message.id))
            return await route.deliver(
                OutgoingMessage(
                    id: message.id, attempt: message.delivery.attempts,
                    acceptedAt: message.delivery.acceptedAt, expiresAt: message.delivery.expiresAt,
                    recipient: message.recipient,
                    content: try OutgoingMessage.Content(message.channel, stored: bytes)))
        } catch {
            // A wrong key file, or an older program on a newer store. The operator can fix both, so
            // the message waits instead of becoming dead.
            logger.error(
                "notification.message.unreadable", "a message does not decrypt",
                fields: [.messageID: .text(message.id.text), .detail: .error(error)])
            return .failed(.unreadable)
        }
    }

    /// How many messages of a channel may be claimed; none if the channel has no route.
    func readiness(_ channel: Channel) -> RouteReadiness {
        routes[channel]?.readiness ?? .ready(0)
    }

    /// Records the end of an attempt in log and metrics. `after` is the message's new state; nil
    /// if the store did not record the outcome.
    func report(_ message: StoredMessage, _ outcome: DeliveryOutcome, after: StoredMessage?) {
        let fields = fields(message, reason: outcome.reason ?? "taken")
        if after == nil {
            logger.warning(
                "notification.outcome.late",
                "an outcome was not recorded: its lease had ended, or the message was erased",
                fields: fields)
        }
        switch outcome {
        case .taken:
            taken.increment()
            logger.info("notification.message.sent", "a message was sent", fields: fields)
        case .refused:
            refused.increment()
            logger.warning(
                "notification.message.rejected", "a message was rejected permanently",
                fields: fields)
        case .failed, .uncertain:
            failed.increment()
            if case .dead = after?.delivery.state {
                logger.error(
                    "notification.message.dead",
                    "retrying a message stopped: its attempts or its time are used up",
                    fields: fields)
            } else {
                logger.warning(
                    "notification.message.deferred", "a message will be retried", fields: fields)
            }
        case .unavailable:
            // The provider's guard logs this, once for all its messages.
            unavailable.increment()
        }
    }

    /// Records in log and metrics that a message expired while it waited for an attempt.
    func reportExpired(_ message: StoredMessage) {
        expired.increment()
        logger.error(
            "notification.message.dead", "a message expired before it could be sent",
            fields: fields(message, reason: DeliveryState.DeathReason.expired.rawValue))
    }

    private func fields(_ message: StoredMessage, reason: String) -> [LogField: LogValue] {
        [
            .messageID: .text(message.id.text), .attempt: .count(message.delivery.attempts),
            .reason: .text(reason),
        ]
    }
}
