import Contracts
import Cryptography
import HTTPSink
import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

/// Webhooks on a real store, which get the events of a real audit trail in a second store. The
/// clock moves only when a test advances it.
final class WebhookFixture: Sendable {
    let folder: TemporaryFolder
    let time: ManualTime
    let store: Store
    /// The store of the service whose events are sent.
    let session: Store
    let worker: WebhookWorker
    let webhooks: WebhooksHandler
    let log = CapturedLog()

    init(
        in folder: TemporaryFolder, time: ManualTime = ManualTime(), seed: UInt64 = 1,
        targets: WebhookTargets = .any
    ) throws {
        self.folder = folder
        self.time = time
        let randomness = SeededRandomness(seed: seed)
        let logger = log.logger(time: time)
        store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path, time: time,
            logger: logger)
        session = try TestStore.open("session", [], in: folder.path, time: time, logger: logger)
        let keys = try NotificationKeys(
            master: .generate(count: 32, randomness: SeededRandomness(seed: 99)),
            randomness: randomness)
        let settings: WebhookSettings = try SettingsLoader.settings(
            environment: ["POSTERN_WEBHOOK_TARGETS": targets.rawValue])
        worker = try WebhookWorker(
            settings: settings,
            sources: [EventSource(.session, EventFeed(store: session, time: time))],
            store: store, keys: keys, time: time, randomness: randomness, logger: logger)
        webhooks = WebhooksHandler(
            settings: settings, store: store, keys: keys, worker: worker, randomness: randomness)
    }

    func close() {
        store.close()
        session.close()
    }

    /// Writes an event into the session service's audit trail.
    func happen(_ kind: AuditKind, account: Int64? = nil) async throws {
        try await happen(AuditEvent(kind, account: account))
    }

    /// The same.
    func happen(_ event: AuditEvent) async throws {
        try await session.writeUnchecked { try $0.audit(event) }
    }

    func context(_ application: String = "tool") -> CallContext {
        CallContext(application: application, deadline: time.uptime() + .seconds(10))
    }

    func add(
        _ url: String, events: [String] = []
    ) async throws -> NotificationV1.AddWebhookResponse {
        let answer = try await webhooks.addWebhook(
            NotificationV1.AddWebhookRequest(url: url, events: events), context())
        // The first read finds the end of the feed; events are sent from there on.
        try await untilStore("SELECT count(*) FROM event_origin", .integer(1))
        return answer
    }

    func pause(_ id: String, _ isPaused: Bool) async throws {
        _ = try await webhooks.pauseWebhook(
            NotificationV1.PauseWebhookRequest(webhookId: id, paused: isPaused), context())
    }

    /// Runs the worker for as long as `body` runs.
    func working<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let duties = Duties(
            of: store, purging: [], [NotificationStore.forgettingEvents(in: store)], time: time)
        let work = Task {
            async let deliveries: Void = worker.run()
            async let cleaning: Void = duties.run()
            _ = await (deliveries, cleaning)
        }
        defer { work.cancel() }
        let value = try await body()
        work.cancel()
        await work.value
        return value
    }

    /// Advances the clock by half a second, repeatedly, until a condition holds.
    func until(
        _ location: SourceLocation = #_sourceLocation, _ holds: () async throws -> Bool
    ) async throws {
        let held = try await eventually(every: .milliseconds(1)) {
            if try await holds() { return true }
            time.advance(by: .milliseconds(500))
            return false
        }
        #expect(held, sourceLocation: location)
    }

    func untilStore(
        _ sql: String, _ wanted: SQLValue, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await until(location) {
            try await store.read { try $0.query(sql) { $0.values.first ?? .null } } == [wanted]
        }
    }
}
