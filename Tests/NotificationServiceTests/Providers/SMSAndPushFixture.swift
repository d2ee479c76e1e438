import Contracts
import Cryptography
import HTTPSink
import Messages
import Outbound
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

/// Text and push messages on a real store in its own folder, sent through the providers that the
/// settings name. The clock moves only when a test advances it.
final class SMSAndPushFixture: DeliveringFixture {
    static let number = "+4915112345621"

    let folder: TemporaryFolder
    let time: ManualTime
    let log = CapturedLog()
    let store: Store
    let keys: NotificationKeys
    let client: OutboundClient
    let delivery: BackgroundDelivery
    let acceptance: MessageAcceptance
    let texts: TextMessagesHandler
    let pushes: PushMessagesHandler
    let pushDevices: PushDevicesHandler
    let routes: [Channel: any MessageRoute]

    /// The service with its store in `folder`; `environment` holds its settings.
    init(
        in folder: TemporaryFolder, _ environment: [String: String] = [:],
        time: ManualTime = ManualTime(), seed: UInt64 = 1
    ) throws {
        self.folder = folder
        self.time = time
        let randomness = SeededRandomness(seed: seed)
        let logger = log.logger(time: time)
        store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path, time: time,
            logger: logger)
        keys = try NotificationKeys(
            master: .generate(count: 32, randomness: SeededRandomness(seed: 99)),
            randomness: randomness)
        let settings = try Self.settings(environment)
        client = try settings.makeProviderClient()
        routes = try settings.makeSMSAndPushRoutes(
            inbox: { try settings.makeInbox(dataFolder: folder.path) }, client: client,
            store: store, keys: keys, time: time, logger: logger)
        delivery = BackgroundDelivery(
            settings: settings, holder: .onlyProcess, store: store, keys: keys, routes: routes,
            time: time, randomness: randomness, logger: logger)
        acceptance = MessageAcceptance(
            settings: settings, store: store, keys: keys, delivery: delivery, time: time,
            randomness: randomness, logger: logger)
        texts = TextMessagesHandler(acceptance: acceptance)
        pushes = PushMessagesHandler(store: store, keys: keys, acceptance: acceptance)
        pushDevices = PushDevicesHandler(
            settings: settings, store: store, keys: keys, randomness: randomness)
    }

    static func settings(_ environment: [String: String]) throws -> NotificationSettings {
        let named = environment.map { name, value in
            ("POSTERN_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined(), value)
        }
        return try NotificationFixture.settings(Dictionary(uniqueKeysWithValues: named))
    }

    func context(_ key: String? = "k-1", application: String = "postern.identity") -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        return CallContext(
            application: application, deadline: time.uptime() + .seconds(10), metadata: metadata)
    }

    // MARK: text messages

    @discardableResult
    func sendCode(
        to number: String = number, code: String = "482913", key: String = "k-1",
        expiresAtMs: Int64? = nil
    ) async throws -> String {
        let request = NotificationV1.SendTextRequest(
            recipient: number, template: "phone-code", language: "en",
            variables: [.init(name: "code", value: code), .init(name: "minutes", value: "10")],
            expiresAtMs: expiresAtMs ?? (start + .seconds(600)).milliseconds)
        return try await texts.sendText(request, context(key)).messageId
    }

    // MARK: push messages

    @discardableResult
    func register(
        _ token: String, of account: AccountID, on platform: GatewayV1.PushPlatform = .fcm,
        app: String = "", session: String = ""
    ) async throws -> NotificationV1.RegisterDeviceResponse {
        try await pushDevices.register(
            .init(
                accountId: account.text, platform: platform, token: token, app: app,
                sessionId: session), context())
    }

    @discardableResult
    func push(
        to account: AccountID, title: String = "Hello", key: String = "k-1"
    ) async throws -> [String] {
        let request = NotificationV1.SendPushRequest(
            accountId: account.text, title: title, body: "You have mail.",
            data: [.init(name: "screen", value: "inbox")])
        return try await pushes.sendPush(request, context(key)).messageIds
    }

    func devices(of account: AccountID) async throws -> [GatewayV1.PushRegistration] {
        try await pushDevices.list(.init(accountId: account.text), context()).devices
    }

    static func account(_ number: Int64) throws -> AccountID {
        try #require(AccountID(key: number))
    }

    // MARK: delivery

    var inbox: [MaildirReader.Mail] { MaildirReader(folder: folder.file("inbox")).mails() }

    /// Attempts one delivery, as the worker would.
    func attempt(_ content: OutgoingMessage.Content, id: Int64 = 77) async throws -> DeliveryOutcome
    {
        let (channel, recipient): (Channel, [UInt8]) =
            switch content {
            case .email: (.email, [])
            case .sms(let order): (.sms, order.recipientKey)
            case .push(let order): (.push, order.recipientKey)
            }
        let message = OutgoingMessage(
            id: try #require(MessageID(key: id)), attempt: 1, acceptedAt: time.now(),
            expiresAt: nil, recipient: keys.recipient(recipient), content: content)
        return try await #require(routes[channel]).deliver(message)
    }

    func close() async {
        await client.close()
        store.close()
    }
}

/// A provider's response with a JSON body.
func answer(
    _ status: Int, _ json: String = "", _ fields: [(String, String)] = []
) -> HTTPResponse {
    HTTPResponse(
        status: status, fields: HTTPFields(fields.map { (name: $0.0, value: $0.1) }),
        body: Array(json.utf8))
}

/// The time at which the tests' clocks start.
let start = ManualTime().now()
