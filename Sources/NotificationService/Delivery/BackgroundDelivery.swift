package import Logging
package import ServiceRuntime
package import Storage

/// Delivers accepted messages through the routes of their channels, one worker for each channel,
/// and watches the operator's template folder at the same time. Messages of a channel without a
/// route wait in the store.
package struct BackgroundDelivery: Sendable {
    /// Leases released in one statement.
    private static let batchMax = 500

    /// Notifies watchers of changed messages.
    let changes = MessageChanges()
    /// Erases the content of messages that ended from the store's log.
    let log: LogTruncation
    private let workers: [DeliveryWorker]
    /// Wake the workers.
    private let signals: [Channel: WakeSignal]
    private let templates: FollowedFiles<OperatorTemplates>?
    private let holder: LeaseHolder
    private let store: Store
    private let time: any Time
    private let logger: Logger

    /// Delivers the messages in `store` through `routes`, with leases of `holder`.
    package init(
        settings: NotificationSettings, holder: LeaseHolder, store: Store, keys: NotificationKeys,
        routes: [Channel: any MessageRoute], time: any Time, randomness: any Randomness,
        logger: Logger
    ) {
        self.holder = holder
        self.store = store
        self.time = time
        self.logger = logger
        templates = settings.templates.followedFolder(logger)
        let changes = changes
        let log = LogTruncation(of: store)
        self.log = log
        let attempts = DeliveryAttempts(
            routes: routes, keys: keys, time: time, randomness: randomness, logger: logger)
        let signals = routes.mapValues { _ in WakeSignal() }
        self.signals = signals
        workers = Channel.allCases.compactMap { channel in
            signals[channel].map { signal in
                DeliveryWorker(
                    channel, signal: signal, deliveriesMax: settings.deliveriesMax,
                    holder: holder, store: store, attempts: attempts, log: log, changes: changes)
            }
        }
    }

    /// Delivers until cancelled or until a graceful shutdown, then waits for running attempts.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await deliver() }
            if let templates {
                group.addTask { await templates.run(time) }
            }
            // Only the workers react to a graceful shutdown. Then the group is cancelled.
            await group.next()
            group.cancelAll()
        }
    }

    /// Wakes a channel's worker. A channel without a route has none.
    func wake(_ channel: Channel) { signals[channel]?.wake() }

    private func deliver() async {
        await releaseLeases()
        await withDiscardingTaskGroup { group in
            for worker in workers { group.addTask { await worker.run() } }
        }
    }

    /// This holder's leases are from a process that has ended. Another holder's may be in use, so
    /// its messages are claimed when their leases end.
    private func releaseLeases() async {
        let holder = holder
        while !Task.isCancelled {
            do {
                return try await store.write(about: []) { transaction in
                    while try transaction.releaseLeases(of: holder, limit: Self.batchMax) > 0 {}
                }
            } catch {
                if Task.isCancelled { return }
                logger.error(
                    "notification.leases.release.failed", "releasing leases failed",
                    fields: [.detail: .error(error)])
                // If cancelled while it sleeps, the loop ends.
                try? await time.sleep(for: DeliveryWorker.storeRetry)
            }
        }
    }
}
