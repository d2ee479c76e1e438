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

    private let acceptance: EmailAcceptance
    private let worker: DeliveryWorker
    private let templateFolder: TemplateFolder?
    private let time: any Time

    /// A service on `store`, whose mails leave by `route`.
    package init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        route: any MailRoute, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        let templates = Live(settings.templates.catalogue)
        templateFolder = TemplateFolder(settings.templates, into: templates, logger: logger)
        self.time = time
        acceptance = EmailAcceptance(store: store, randomness: randomness, keys: keys)
        let attempts = DeliveryAttempts(
            composer: MailComposer(keys: keys, sender: settings.sender, templates: templates),
            route: route, logger: logger)
        worker = DeliveryWorker(
            store: store, time: time, randomness: randomness, attempts: attempts,
            deliveriesMax: settings.deliveriesMax, logger: logger)
    }

    /// Delivers until cancelled or told to shut down, then lets running tries end; and follows the
    /// operator's templates meanwhile.
    package func run() async throws {
        await withTaskGroup { group in
            group.addTask { await worker.run() }
            if let templateFolder {
                group.addTask { await templateFolder.run(time) }
            }
            // The worker alone hears of a shutdown; cancelled, both end.
            await group.next()
            group.cancelAll()
        }
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
