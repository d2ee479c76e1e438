import Contracts
package import Logging
package import Messages
package import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// Messages to people (N-01): accepted durably and at once, delivered behind.
package struct NotificationService: NotificationsService, Service {
    /// The store's name and schema.
    package static let storeName = "notification"
    /// The store's schema.
    package static let migrations = NotificationStore.migrations

    /// Takes messages on, for the rpcs of all channels.
    package let acceptance: MessageAcceptance
    /// What the operator sees and does.
    package let outbox: OutboxOperations
    private let workers: DeliveryWorkers
    private let templateFolder: TemplateFolder?
    private let time: any Time

    /// A service on `store`, whose messages leave by `routes`; those of a channel that has none
    /// wait in the store.
    /// - Parameter traces: What else goes when an account is forgotten.
    package init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        routes: [Channel: any MessageRoute], traces: [any AccountTraces] = [], time: any Time,
        randomness: any Randomness, logger: Logger
    ) {
        templateFolder = TemplateFolder(settings.templates, logger: logger)
        self.time = time
        let (alarms, changes) = (DeliverySignals(), MessageChanges())
        let upkeep = OutboxUpkeep(store: store, time: time, logger: logger)
        acceptance = MessageAcceptance(
            store: store, keys: keys, ids: MessageIDs(time: time, randomness: randomness),
            turns: RecipientRateLimiter(
                burst: settings.recipientBurst, interval: settings.recipientInterval),
            alarms: alarms, changes: changes, upkeep: upkeep, logger: logger)
        outbox = OutboxOperations(
            store: store, keys: keys, alarms: alarms, changes: changes, upkeep: upkeep,
            traces: traces, time: time, logger: logger)
        workers = DeliveryWorkers(
            DeliveryParts(
                store: store, time: time, randomness: randomness,
                attempts: DeliveryAttempts(routes: routes, keys: keys, logger: logger),
                upkeep: upkeep, changes: changes, logger: logger),
            alarms: alarms, deliveriesMax: settings.deliveriesMax)
    }

    /// Delivers until cancelled or told to shut down, then lets running tries end; and follows the
    /// operator's templates meanwhile.
    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { await workers.run() }
            if let templateFolder {
                group.addTask { await templateFolder.run(time) }
            }
            // The workers alone hear of a shutdown; cancelled, both end.
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: NotificationsService

    package func sendEmail(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendEmailResponse {
        let id = try await acceptance.accept(
            EmailOrder(request), method: NotificationsDescription.sendEmail.name, context)
        return NotificationV1.SendEmailResponse(messageId: id.text)
    }
}
