package import Logging
import Metrics
import Outbound
import ServiceLifecycle
package import ServiceRuntime
package import Storage
import Synchronization

/// Imports events and delivers them. Each webhook has at most `triesMax` attempts at the same time,
/// one per ordering key, and none while its circuit breaker is open. A receiver that is slow or
/// unavailable does not delay the others. An attempt that a crash cuts off is made again with the
/// same id.
package final class WebhookWorker: Sendable {
    /// Concurrent attempts for one webhook.
    static let triesMax = 8
    /// Open connections. A receiver uses at most `triesMax` of them.
    private static let connectionsMax = 64
    /// How long to wait before a retry when the store fails.
    private static let storeRetry: Duration = .seconds(1)
    private static let batchMax = 500

    private struct Receiver {
        var breaker = CircuitBreaker()
        /// Ordering keys with an event in flight.
        var busyKeys: Set<Int64> = []
        /// Ordering keys that became free since the store was last queried for due events. The
        /// query's result may be older than that, so an event of these keys could be sent twice.
        var freedKeys: Set<Int64> = []
    }

    private struct State {
        var receivers: [WebhookID: Receiver] = [:]
        /// The webhooks at the last round.
        var known: Set<WebhookID> = []
        /// In uptime; nil for at once.
        var importsNextAt: Duration?
        var isStopping = false
        /// Webhooks whose rows do not decrypt and that were logged.
        var unreadable: Set<WebhookID> = []
    }

    /// The last failure that a listing shows for a webhook whose row does not decrypt.
    static let unreadable = "unreadable"

    /// Signals that something may have become due.
    let signal = WakeSignal()
    private let intake: EventIntake
    private let sender: WebhookSender
    private let vault: WebhookVault
    private let store: Store
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger
    private let state = Mutex(State())
    private let taken = Counter(label: "webhook_deliveries", dimensions: [("outcome", "taken")])
    private let failed = Counter(label: "webhook_deliveries", dimensions: [("outcome", "failed")])
    private let givenUp = Counter(
        label: "webhook_deliveries", dimensions: [("outcome", "given_up")])

    /// Sends the events of `sources` to the webhooks in `store`.
    /// - Throws: `OutboundClient.Unavailable`.
    package init(
        settings: WebhookSettings, sources: [EventSource], store: Store, keys: NotificationKeys,
        time: any Time, randomness: any Randomness, logger: Logger
    ) throws {
        intake = EventIntake(
            sources: sources, store: store, time: time, randomness: randomness, logger: logger)
        sender = WebhookSender(
            client: try OutboundClient(
                limits: .init(
                    transfersMax: WebhooksHandler.webhooksMax * Self.triesMax,
                    connectionsMax: Self.connectionsMax)),
            targets: settings.targets, timeout: settings.timeout, trustFile: settings.trustFile,
            time: time)
        vault = WebhookVault(box: keys.contents)
        self.store = store
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// Imports and delivers events until cancelled or until a graceful shutdown.
    package func run() async {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { tries in
                while !isStopping, !Task.isCancelled {
                    let sleep = await round(&tries)
                    await signal.wait(atMost: sleep, time: time)
                }
            }
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.signal.wake()
        }
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Imports events and starts the attempts that are due.
    /// - Returns: how long to sleep if nothing signals.
    private func round(_ tries: inout DiscardingTaskGroup) async -> Duration {
        do {
            let rows = try await store.read { try $0.webhooks() }
            state.withLock { state in
                let known = Set(rows.map(\.id))
                state.receivers = state.receivers.filter { known.contains($0.key) }
                // A new webhook gets all events from now on, so the ends of the feeds are read at
                // once.
                if !known.isSubset(of: state.known) { state.importsNextAt = nil }
                state.known = known
            }
            guard !rows.isEmpty else { return Self.idleInterval }
            var sleep = try await importEvents()
            for row in rows where row.replayedTo != nil {
                let isMore = try await store.write(about: [.webhook(row.id)]) {
                    try $0.replayMore(row.id, limit: Self.batchMax)
                }
                if isMore { sleep = .zero }
            }
            for row in rows where !row.isPaused {
                if let webhook = readable(row) { try await start(webhook, &tries) }
            }
            return sleep
        } catch {
            if Task.isCancelled { return .zero }
            logger.warning(
                "notification.webhooks.stalled", "claiming webhook deliveries failed",
                fields: [.detail: .error(error)])
            return Self.storeRetry
        }
    }

    /// Decrypts a webhook's row. If that fails, returns nil and logs the id once. The other
    /// webhooks are served; this one's events wait.
    private func readable(_ row: WebhookRow) -> Webhook? {
        do {
            return try row.opened(vault)
        } catch {
            if state.withLock({ $0.unreadable.insert(row.id).inserted }) {
                logger.error(
                    "notification.webhook.unreadable", "a webhook does not decrypt",
                    fields: [.row: .text(row.id.text), .detail: .error(error)])
            }
            return nil
        }
    }

    /// Reads the feeds if they are due. Every attempt that ends wakes the worker, and the feeds
    /// need not be read each time.
    /// - Returns: how long until they are read again.
    private func importEvents() async throws -> Duration {
        let now = time.uptime()
        if let next = state.withLock({ $0.importsNextAt }), now < next { return next - now }
        let sleep = try await intake.importEvents() ? .zero : EventIntake.every
        state.withLock { $0.importsNextAt = now + sleep }
        return sleep
    }

    /// Adding the first webhook signals.
    private static let idleInterval: Duration = .seconds(60)

    private func start(_ webhook: Webhook, _ tries: inout DiscardingTaskGroup) async throws {
        let now = time.now()
        let busy = state.withLock { state in
            state.receivers[webhook.id, default: Receiver()].freedKeys = []
            return state.receivers[webhook.id, default: Receiver()].busyKeys
        }
        guard busy.count < Self.triesMax else { return }
        let due = try await store.read {
            try $0.dueDeliveries(to: webhook.id, at: now, limit: Self.triesMax + busy.count)
        }
        for delivery in due {
            guard let permission = claim(delivery) else { continue }
            tries.addTask { await self.attempt(delivery, webhook, permission) }
        }
    }

    /// Reserves an ordering key and a slot of a receiver, if both are free.
    private func claim(_ delivery: WebhookDelivery) -> CircuitBreaker.Permission? {
        state.withLock { state in
            var receiver = state.receivers[delivery.webhook, default: Receiver()]
            guard receiver.busyKeys.count < Self.triesMax,
                !receiver.busyKeys.contains(delivery.orderingKey),
                !receiver.freedKeys.contains(delivery.orderingKey)
            else { return nil }
            let permission = receiver.breaker.admit(at: time.uptime())
            if case .barred = permission { return nil }
            receiver.busyKeys.insert(delivery.orderingKey)
            state.receivers[delivery.webhook] = receiver
            return permission
        }
    }

    private func attempt(
        _ delivery: WebhookDelivery, _ webhook: Webhook, _ permission: CircuitBreaker.Permission
    ) async {
        let outcome = await sender.send(delivery, to: webhook)
        if outcome == .taken || !Task.isCancelled { await conclude(delivery, outcome) }
        state.withLock { state in
            guard var receiver = state.receivers[delivery.webhook] else { return }
            receiver.busyKeys.remove(delivery.orderingKey)
            receiver.freedKeys.insert(delivery.orderingKey)
            _ = receiver.breaker.ended(
                permission, outcome == .taken ? .answered : .failed, at: time.uptime())
            state.receivers[delivery.webhook] = receiver
        }
        signal.wake()
    }

    /// Stores the outcome. If the store fails, the event remains due and is sent again with the
    /// same id.
    private func conclude(_ delivery: WebhookDelivery, _ outcome: WebhookRetryRule.Outcome) async {
        let random = randomness.integer()
        do {
            let next = try await store.write(
                about: [.webhook(delivery.webhook)], evenIfCancelled: true
            ) {
                try $0.conclude(delivery, outcome, random: random)
            }
            report(delivery, outcome, next)
        } catch {
            logger.error(
                "notification.webhook.record.failed", "recording a webhook delivery failed",
                fields: [.detail: .error(error)])
            // The ordering key stays reserved meanwhile, so that a full disk does not cause a
            // flood of requests.
            try? await time.sleep(for: Self.storeRetry)
        }
    }

    private func report(
        _ delivery: WebhookDelivery, _ outcome: WebhookRetryRule.Outcome,
        _ next: WebhookRetryRule.Next
    ) {
        var fields: [LogField: LogValue] = [
            .messageID: .text(delivery.event.id.text),
            .attempt: .count(delivery.attempts + 1),
        ]
        if case .failed(let reason, _) = outcome { fields[.detail] = .text(reason) }
        switch next {
        case .done: taken.increment()
        case .again:
            failed.increment()
            logger.warning(
                "notification.webhook.delivery.failed", "delivering an event to a webhook failed",
                fields: fields)
        case .givenUp:
            givenUp.increment()
            logger.error(
                "notification.webhook.delivery.dead",
                "retrying an event stopped: its webhook was unreachable for too long",
                fields: fields)
        }
        if outcome == .gone {
            logger.error(
                "notification.webhook.paused", "a webhook is paused: its receiver answers 410 Gone",
                fields: fields)
        }
    }
}

extension Transaction {
    /// Stores the outcome of an attempt and its consequences.
    func conclude(
        _ delivery: WebhookDelivery, _ outcome: WebhookRetryRule.Outcome, random: UInt64
    ) throws -> WebhookRetryRule.Next {
        let next = WebhookRetryRule.next(
            after: outcome, attempts: delivery.attempts + 1, queuedAt: delivery.queuedAt,
            random: random, at: at)
        switch next {
        case .done: try finish(delivery)
        case .again(let moment): try postpone(delivery, to: moment)
        case .givenUp:
            try finish(delivery)
            try audit(AuditEvent(.webhookGivenUp, account: delivery.event.account?.key))
        }
        switch outcome {
        case .taken: try setLastFailure(nil, of: delivery.webhook)
        case .failed(let reason, _): try setLastFailure(reason, of: delivery.webhook)
        case .gone:
            try setLastFailure("it answered 410 and was paused", of: delivery.webhook)
            if try setPaused(true, delivery.webhook) { try audit(AuditEvent(.webhookHeldBack)) }
        }
        return next
    }
}
