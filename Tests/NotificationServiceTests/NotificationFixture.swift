import Cryptography
import Messages
import Outbound
import RPC
import SMTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

/// The service on a real store in its own folder. The clock moves only when a test advances it.
final class NotificationFixture: DeliveringFixture {
    static let link = "https://app.example/verify?token=canary-7Q4"
    static let recipient = "ada.canary@example.org"

    let folder: TemporaryFolder
    let time: ManualTime
    let log = CapturedLog()
    let store: Store
    let keys: NotificationKeys
    let delivery: BackgroundDelivery
    let notifications: NotificationsHandler
    let outbox: OutboxHandler

    /// The service with its store in `folder`. Mails are sent by `route`; by default to the inbox.
    /// - Parameter engine: As in `TestStore.open`.
    init(
        in folder: TemporaryFolder, time: ManualTime = ManualTime(), seed: UInt64 = 1,
        masterSeed: UInt64 = 99, route: (any MailTransport)? = nil,
        routes: [Channel: any MessageRoute]? = nil,
        environment: [String: String] = [:], engine: (any SQLEngine)? = nil
    ) throws {
        self.folder = folder
        self.time = time
        let randomness = SeededRandomness(seed: seed)
        let logger = log.logger(time: time)
        store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path, engine: engine,
            time: time, logger: logger)
        keys = try NotificationKeys(
            master: .generate(count: 32, randomness: SeededRandomness(seed: masterSeed)),
            randomness: randomness)
        let settings = try Self.settings(environment)
        delivery = BackgroundDelivery(
            settings: settings, holder: .onlyProcess, store: store, keys: keys,
            routes: try routes ?? [
                .email: EmailRoute(
                    sender: settings.sender, templates: settings.templates.live,
                    transport: route
                        ?? settings.makeMailTransport(
                            inbox: { try settings.makeInbox(dataFolder: folder.path) },
                            time: time, logger: logger),
                    suppressionList: SuppressionList(store: store, keys: keys, time: time),
                    renderingThrottle: LogThrottle(time: time), logger: logger)
            ], time: time, randomness: randomness, logger: logger)
        let acceptance = MessageAcceptance(
            settings: settings, store: store, keys: keys, delivery: delivery, time: time,
            randomness: randomness, logger: logger)
        notifications = NotificationsHandler(acceptance: acceptance)
        outbox = OutboxHandler(
            store: store, keys: keys, acceptance: acceptance, delivery: delivery, time: time)
    }

    static func settings(_ environment: [String: String]) throws -> NotificationSettings {
        try SettingsLoader.settings(environment: environment)
    }

    /// A transport to `sinks`, in their order, and the client that it uses.
    static func route(
        to sinks: SMTPSink..., time: any Time = ManualTime(), signer: DKIMSigner? = nil
    ) throws -> (route: SMTPTransport, client: SMTPClient) {
        let client = try SMTPClient(connections: 8)
        let servers = try sinks.map { sink in
            let server = try #require(
                SMTPServer(
                    host: "127.0.0.1", port: sink.port, encryption: .none, credentials: nil,
                    clientName: "us.example", addresses: .any, trustFile: nil))
            let providerGuard = ProviderGuard(
                name: "smtp \(sink.port)", rate: nil, time: time,
                logger: CapturedLog().logger(time: time))
            return SMTPTransport.Server(server: server, providerGuard: providerGuard)
        }
        let route = SMTPTransport(
            client: client, servers: servers, timeout: .seconds(5), signer: signer)
        return (route, client)
    }

    static func request(
        to recipient: String = recipient, link: String = link, expiresAtMs: Int64 = 0,
        account: AccountID? = nil
    ) -> NotificationV1.SendEmailRequest {
        NotificationV1.SendEmailRequest(
            recipient: recipient, template: "verify-email", language: "en",
            variables: [.init(name: "link", value: link)], expiresAtMs: expiresAtMs,
            accountId: account?.text ?? "")
    }

    /// A notice, which has a lower priority than a link.
    static func notice(to recipient: String) -> NotificationV1.SendEmailRequest {
        NotificationV1.SendEmailRequest(
            recipient: recipient, template: "session-displaced", language: "en",
            variables: [.init(name: "device", value: "d"), .init(name: "time", value: "t")])
    }

    /// A warning, which strangers can cause to be sent to any address.
    static func warning(to recipient: String) -> NotificationV1.SendEmailRequest {
        NotificationV1.SendEmailRequest(
            recipient: recipient, template: "email-already-registered", language: "en",
            variables: [.init(name: "methods", value: ""), .init(name: "link", value: link)])
    }

    /// A mail that its recipient requested.
    static func reset(to recipient: String) -> NotificationV1.SendEmailRequest {
        NotificationV1.SendEmailRequest(
            recipient: recipient, template: "reset-password", language: "en",
            variables: [.init(name: "link", value: link)])
    }

    /// A call from `application`.
    func context(from application: String) -> CallContext {
        CallContext(application: application, deadline: time.uptime() + .seconds(10))
    }

    @discardableResult
    func send(
        _ request: NotificationV1.SendEmailRequest = request(), key: String? = "k-1",
        application: String = "postern.identity"
    ) async throws -> String {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        let context = CallContext(
            application: application, deadline: time.uptime() + .seconds(10), metadata: metadata)
        return try await notifications.sendEmail(request, context).messageId
    }

    var inbox: [MaildirReader.Mail] { MaildirReader(folder: folder.file("inbox")).mails() }
}
