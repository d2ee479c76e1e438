import Logging
import Metrics
import ServiceRuntime

/// One try after another: composes the mail, hands it to the route, tells how it went.
struct DeliveryAttempts: Sendable {
    private let composer: MailComposer
    private let route: any MailRoute
    private let logger: Logger
    private let taken = Counter(label: "deliveries", dimensions: [("outcome", "taken")])
    private let refused = Counter(label: "deliveries", dimensions: [("outcome", "refused")])
    private let failed = Counter(label: "deliveries", dimensions: [("outcome", "failed")])

    init(composer: MailComposer, route: any MailRoute, logger: Logger) {
        self.composer = composer
        self.route = route
        self.logger = logger
    }

    /// Tries once.
    func outcome(_ message: StoredMessage) async -> DeliveryOutcome {
        let mail: MailMessage
        do {
            mail = try composer.mail(message)
        } catch {
            // A wrong key file, or an older program on a newer store: the operator can mend both,
            // so the message waits instead of dying.
            logger.error(
                "a message cannot be read",
                fields: [.message: .text(message.id.text), .detail: .error(error)])
            return .failed("unreadable")
        }
        return await route.deliver(mail)
    }

    /// Tells log and metrics of a try's end; `after` is where the message stands then.
    func report(_ message: StoredMessage, _ outcome: DeliveryOutcome, after: StoredMessage?) {
        let fields: [LogField: LogValue] = [
            .message: .text(message.id.text),
            .attempt: .count(message.delivery.attempts),
            .reason: .text(outcome.reason ?? "taken"),
        ]
        switch outcome {
        case .taken:
            taken.increment()
            logger.info("a message was sent", fields: fields)
        case .refused:
            refused.increment()
            logger.warning("a message was refused for good", fields: fields)
        case .failed:
            failed.increment()
            if case .dead = after?.delivery.state {
                logger.error("a message was given up", fields: fields)
            } else {
                logger.warning("a message has to wait", fields: fields)
            }
        }
    }
}
