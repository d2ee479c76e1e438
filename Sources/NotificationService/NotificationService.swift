import Contracts
package import Logging
package import Messages
package import RPC
import ServiceLifecycle
package import ServiceRuntime
package import Storage

/// Sends messages to people (N-01): accepts them durably and at once, and delivers them
/// asynchronously.
package struct NotificationService: NotificationsService, Service {
    /// The store's name.
    package static let storeName = "notification"
    /// The store's schema.
    package static let migrations = NotificationStore.migrations

    /// Accepts messages, for the rpcs of all channels.
    package let acceptance: MessageAcceptance
    /// The operator's view of messages and operations on them.
    package let outbox: OutboxOperations
    private let workers: DeliveryWorkers
    private let templateFolder: TemplateFolder?
    private let time: any Time

    /// A service on `store` that delivers messages through `routes`. Messages of a channel without
    /// a route wait in the store.
    /// - Parameter traces: What else is deleted when an account is erased.
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

    /// Delivers until cancelled or until a graceful shutdown, then waits for running attempts.
    /// Watches the operator's template folder at the same time.
    /// - Throws: Nothing; `Service` declares it.
    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { await workers.run() }
            if let templateFolder {
                group.addTask { await templateFolder.run(time) }
            }
            // Only the workers react to a graceful shutdown. Then the group is cancelled.
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: NotificationsService

    /// Accepts one mail.
    /// - Throws: `auth/invalid-email`, or `rpc/invalid-argument` with the fields at fault, for a
    ///   request that cannot be used; what `MessageAcceptance.accept` throws.
    package func sendEmail(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendEmailResponse {
        let id = try await acceptance.accept(
            EmailOrder(request), method: NotificationsDescription.sendEmail.name, context)
        return NotificationV1.SendEmailResponse(messageId: id.text)
    }
}
