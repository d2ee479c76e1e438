package import Logging
import Outbound
package import ServiceRuntime
package import Storage

/// Delivers events to an operator's URLs: the rpcs and the worker.
package struct WebhookService: Sendable {
    /// Open connections. A receiver uses at most `WebhookWorker.triesMax` of them.
    private static let connectionsMax = 64

    /// The rpcs that the operator's tool calls.
    package let operations: WebhookOperations
    private let worker: WebhookWorker

    /// Webhooks in `store` that receive the events of `sources`.
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

    /// Imports and delivers events until cancelled or until a graceful shutdown.
    package func run() async { await worker.run() }
}
