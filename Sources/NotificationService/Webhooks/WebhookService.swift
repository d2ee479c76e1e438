package import Logging
import Outbound
package import ServiceRuntime
package import Storage

/// Events to an operator's URLs: what is on offer, and what runs.
package struct WebhookService: Sendable {
    /// Connections at a time; a receiver has `WebhookWorker.triesMax` of them at the most.
    private static let connectionsMax = 64

    /// What the operator's tool calls.
    package let operations: WebhookOperations
    private let worker: WebhookWorker

    /// Webhooks kept in `store`, told of what `sources` have.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(
        settings: WebhookSettings, sources: [EventSource], store: Store, keys: NotificationKeys,
        time: any Time, randomness: any Randomness, logger: Logger
    ) throws {
        let vault = WebhookVault(box: keys.contents)
        worker = WebhookWorker(
            intake: EventIntake(
                sources: sources, store: store, time: time, randomness: randomness,
                logger: logger),
            sender: WebhookSender(
                client: try OutboundClient(
                    limits: .init(
                        transfersMax: WebhookOperations.webhooksMax * WebhookWorker.triesMax,
                        connectionsMax: Self.connectionsMax)),
                targets: settings.targets, timeout: settings.timeout,
                trustFile: settings.trustFile, time: time),
            vault: vault, store: store, time: time, randomness: randomness, logger: logger)
        operations = WebhookOperations(
            store: store, vault: vault, targets: settings.targets, randomness: randomness,
            alarm: worker.alarm)
    }

    /// Takes events over and sends them, until cancelled or told to shut down.
    package func run() async { await worker.run() }
}
