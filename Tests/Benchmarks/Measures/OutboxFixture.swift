import Cryptography
import Glibc
import Messages
import NotificationService
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport

/// The notification service on its own store, in this process.
final class OutboxFixture: Sendable {
    /// Tasks that fill the store.
    private static let fillers = 256

    let store: Store
    let delivery: BackgroundDelivery
    private let notifications: NotificationsHandler
    private let time = SystemTime()
    private let numbers = Mutex(0)

    /// The destination of mails.
    enum Way {
        /// No destination: they wait.
        case none
        case route(any MessageRoute)
        /// By SMTP, as in the program, to a server on this port.
        case server(port: Int)
    }

    /// Starts with an empty `folder`.
    init(folder: String, way: Way) throws {
        mkdir(folder, 0o700)
        store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder,
            engine: SQLiteEngine(), time: time,
            logger: .silent)
        let settings: NotificationSettings = try SettingsLoader.settings(
            environment: way.environment)
        let randomness = SecureRandomness()
        let keys = try NotificationKeys(
            master: .generate(count: 32, randomness: randomness), randomness: randomness)
        let routes: [Channel: any MessageRoute] =
            switch way {
            case .none: [:]
            case .route(let route): [.email: route]
            case .server:
                try settings.makeRoutes(store, keys, time, .silent).filter { $0.key == .email }
            }
        delivery = BackgroundDelivery(
            settings: settings, holder: .onlyProcess, store: store, keys: keys, routes: routes,
            time: time, randomness: randomness, logger: .silent)
        notifications = NotificationsHandler(
            acceptance: MessageAcceptance(
                settings: settings, store: store, keys: keys, delivery: delivery, time: time,
                randomness: randomness, logger: .silent))
    }

    /// Sends one message, to a new recipient.
    func accept() async throws {
        let number = numbers.withLock { numbers in
            numbers += 1
            return numbers
        }
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = "key-\(number)"
        let request = NotificationV1.SendEmailRequest(
            recipient: "person.\(number)@example.org", template: "verify-email", language: "en",
            variables: [
                .init(
                    name: "link",
                    value: "https://app.example.org/verify?token=0123456789abcdef0123456789abcdef")
            ])
        let context = CallContext(
            application: "identity", deadline: time.uptime() + .seconds(60), metadata: metadata)
        _ = try await notifications.sendEmail(request, context)
    }

    /// Sends many messages.
    func accept(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for filler in 0..<Self.fillers {
                let share = count / Self.fillers + (filler < count % Self.fillers ? 1 : 0)
                group.addTask { for _ in 0..<share { try await self.accept() } }
            }
            try await group.waitForAll()
        }
    }
}

extension OutboxFixture.Way {
    /// The program's settings for this destination.
    fileprivate var environment: [String: String] {
        guard case .server(let port) = self else { return [:] }
        return [
            "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(port)",
            "POSTERN_SMTP_ENCRYPTION": "none",
        ]
    }
}

/// A route that accepts every message after a fixed time.
final class CountingRoute: MessageRoute {
    private struct State {
        var count = 0
        var watcher: (count: Int, CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())
    private let duration: Duration

    init(takes duration: Duration) {
        self.duration = duration
    }

    func deliver(_ message: OutgoingMessage) async -> DeliveryOutcome {
        // Ignored: on cancellation the measurement is over.
        try? await Task.sleep(for: duration)
        let watcher = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let watcher = state.watcher, watcher.count <= state.count else { return nil }
            state.watcher = nil
            return watcher.1
        }
        watcher?.resume()
        return .taken
    }

    /// Returns once `count` messages were delivered.
    func reached(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.count < count { state.watcher = (count, continuation) }
                return state.count >= count
            }
            if isMet { continuation.resume() }
        }
    }
}
