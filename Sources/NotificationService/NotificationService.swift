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
    package static let migrations = NotificationStore.migrations + [EventStore.migration]

    private let acceptance: EmailAcceptance
    private let worker: DeliveryWorker

    /// A service on `store`, whose mails leave by `route`.
    package init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        route: any MailRoute, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        acceptance = EmailAcceptance(store: store, randomness: randomness, keys: keys)
        let attempts = DeliveryAttempts(
            composer: MailComposer(keys: keys, sender: settings.sender), route: route,
            logger: logger)
        worker = DeliveryWorker(
            store: store, time: time, randomness: randomness, attempts: attempts,
            deliveriesMax: settings.deliveriesMax, logger: logger)
    }

    /// Delivers until cancelled or told to shut down; then lets running tries end.
    package func run() async throws {
        await worker.run()
    }

    // MARK: NotificationsService

    package func sendEmail(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendEmailResponse {
        let id = try await acceptance.accept(request, context)
        worker.alarm.ring()
        return NotificationV1.SendEmailResponse(messageId: id.text)
    }
}
