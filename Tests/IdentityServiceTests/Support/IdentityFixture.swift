import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

/// The identity service over a real store in a temporary folder. Only its peers are stand-ins.
final class IdentityFixture: Sendable {
    /// Cheap enough for hundreds of hashes in a test.
    static let cheap = Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1)

    let folder: TemporaryFolder
    /// On a folder that another fixture had.
    private let isReopened: Bool
    let time: ManualTime
    let randomness: SeededRandomness
    let notifications: RecordingNotifications
    let sessions: RecordingSessions
    let texts: RecordingTexts
    let pushes: RecordingPushes
    let pushDevices = RecordingPushDevices()
    let sessionData = ListedAccounts()
    let notificationData = ListedAccounts()
    let rateLimitData = ListedAccounts()
    let devices: KnownSessions
    let tokens = WrittenTokens()
    let metrics = MetricsRegistry()
    let log = CapturedLog()
    let keys: IdentityKeys
    let store: Store
    let settings: IdentitySettings
    let dataSettings: PersonalDataSettings
    let lifeSettings: AccountLifeSettings
    let peers: IdentityPeers
    let service: IdentityAssembly
    /// Accepts the tokens of `tokens`; otherwise as in the service.
    let identities: IdentitiesHandler
    var passwords: PasswordHashPool { service.core.passwords }
    var responseTimeFloor: ResponseTimeFloor { service.core.responseTimeFloor }
    var accounts: AccountsHandler { service.core.accounts }
    var credentials: CredentialsHandler { service.core.credentials }
    var notices: AccountNoticesHandler { service.core.accountNotices }
    var tasks: BackgroundTasks { service.background }
    var emails: EmailChangesHandler { service.core.emailChanges }
    var answers: AccountAnswers { service.core.answers }

    init(
        folder: TemporaryFolder? = nil, time: ManualTime = ManualTime(), seed: UInt64 = 1,
        notifications: RecordingNotifications = RecordingNotifications(),
        texts: RecordingTexts = RecordingTexts(), pushes: RecordingPushes = RecordingPushes(),
        noticeSettings: NoticeSettings = NoticeSettings(),
        parameters: Argon2Parameters = cheap,
        phone: PhoneSettings = PhoneSettings(countries: ["all"]),
        enumeration: IdentitySettings.EnumerationMode = .friendly,
        verification: IdentitySettings.EmailVerificationMode = .optional,
        displayName: IdentitySettings.DisplayNameMode = .optional,
        breachedPasswords: BreachedPasswordSettings = BreachedPasswordSettings(),
        rules: String? = nil, consent: ConsentSettings = ConsentSettings(),
        guestData: GuestDataMode = .discard,
        documents: DocumentSettings = DocumentSettings(), engine: (any SQLEngine)? = nil,
        guestKept: Duration? = AccountLifeSettings().guestKept, acceptsClock: Bool = false,
        deletion: DeletionSettings = DeletionSettings(), gate: SignInGate = .standard,
        activity: any AccountActivityAPI = NoActivity(),
        sessionEvents: any EventsAPI = GivenEvents(),
        server: TestStore.OnServer = TestStore.OnServer(),
        backend: (any StoreBackend) -> any StoreBackend = { $0 },
        adjusting: (inout IdentitySettings) -> Void = { _ in }
    ) throws {
        isReopened = folder != nil
        let folder = try folder ?? TemporaryFolder()
        let logger = log.logger(time: time)
        self.folder = folder
        self.time = time
        (self.notifications, self.texts, self.pushes) = (notifications, texts, pushes)
        devices = KnownSessions(time: time)
        sessions = RecordingSessions(known: devices)
        randomness = SeededRandomness(seed: seed)
        keys = try Self.keys(randomness)
        store = try TestStore.open(
            "identity", IdentityTables.migrations, in: folder.path, engine: engine,
            acceptsClock: acceptsClock, time: time, logger: logger, server: server,
            backend: backend)
        var settings = IdentitySettings()
        settings.linkOrigin = "https://app.example"
        settings.phone = phone
        settings.notices = noticeSettings
        settings.passwordHashing = PasswordHashPool.Settings(
            threads: 2, waitingMax: 500, parameters: parameters)
        (settings.enumeration, settings.emailVerification) = (enumeration, verification)
        settings.displayName = displayName
        settings.breachedPasswords = breachedPasswords
        settings.consent = consent
        adjusting(&settings)
        self.settings = settings
        var dataSettings = PersonalDataSettings()
        dataSettings.documents = documents
        dataSettings.rules = RulesSettings(
            path: try rules.map { try folder.write($0, to: "rules.yaml") })
        dataSettings.guestData = guestData
        self.dataSettings = dataSettings
        var lifeSettings = AccountLifeSettings()
        lifeSettings.deletion = deletion
        lifeSettings.guestKept = guestKept
        self.lifeSettings = lifeSettings
        peers = IdentityPeers(
            devices: devices, sessions: sessions, activity: activity,
            sessionEvents: sessionEvents, notifications: notifications, texts: texts,
            pushes: pushes, pushDevices: pushDevices, relays: UnreachableRelays(),
            sessionData: sessionData, notificationData: notificationData,
            rateLimitData: rateLimitData)
        service = try IdentityAssembly(
            settings: settings, data: dataSettings, life: lifeSettings, store: store, keys: keys,
            peers: peers, gate: gate, time: time, randomness: randomness, logger: logger,
            metrics: metrics)
        identities = IdentitiesHandler(of: service, tokens: tokens)
    }

    deinit { #expect(log.costlyFlows().isEmpty) }

    private static func keys(_ randomness: SeededRandomness) throws -> IdentityKeys {
        try IdentityKeys(
            master: SecretBytes(copying: [UInt8](repeating: 7, count: 32)),
            signInProofs: SecretBytes(copying: [UInt8](repeating: 9, count: 32)),
            randomness: randomness)
    }

    /// The number of passwords hashed so far.
    var hashes: Int {
        let line = metrics.prometheusText().split(separator: "\n").first {
            $0.contains("password_hash_wait") && $0.contains("_count ")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }

    /// The context of a call of the gateway outside a session, with an idempotency key if one is
    /// given.
    func context(
        _ key: String? = nil, application: String = CallContext.gateway,
        from address: String = clientAddress
    ) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        metadata[Metadata.Key.clientAddress] = address
        return CallContext(
            application: application, deadline: time.uptime() + .seconds(10), metadata: metadata)
    }

    /// The context of a call of the gateway in a session.
    /// - Parameter accessToken: nil outside a session.
    func relayed(_ accessToken: String?, _ key: String? = nil) -> CallContext {
        context(key).bearing(accessToken)
    }

    /// Registers with a password that the policy accepts.
    func register(
        _ email: String = "ada@example.org", password: String = "Correct7Horse",
        key: String? = nil
    ) async throws -> IdentityV1.RegisterResponse {
        try await accounts.register(
            .init(
                signUp: .init(
                    email: email, password: .init(text: password), device: Self.device,
                    displayName: "Ada", mailLanguage: "en-GB")), context(key))
    }

    /// Signs in.
    func signIn(
        _ email: String = "ada@example.org", password: String = "Correct7Horse",
        key: String? = nil
    ) async throws -> IdentityV1.VerifyPasswordResponse {
        try await accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: email, password: .init(text: password), device: Self.device)),
            context(key))
    }

    static let clientAddress = "192.0.2.7"
    static let device = GatewayV1.Device(deviceId: "device-canary", platform: "cli")

    /// Runs the outbox until it is empty.
    func relay() async throws {
        // A queued reset request becomes due after a short delay (`requestPasswordReset`).
        if try await count("outbox", where: "topic IN ('password-reset', 'deletion-link')") > 0 {
            time.advance(by: .seconds(1))
        }
        // On a server an instance delivers what another one has not once its leases are over; one
        // that opens a file ends them.
        if isReopened, store.isOnServer { time.advance(by: .seconds(10)) }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.tasks.run() }
            while try await self.waiting() > 0 { await Task.yield() }
            group.cancelAll()
        }
    }

    /// The number of messages in the outbox.
    func waiting() async throws -> Int { try await store.read { try $0.outboxCount() } }

    /// Sets the password "Owner8Password" with a mailed link.
    @discardableResult
    func resetPassword(
        of email: String = "ada@example.org", on device: String? = nil
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let device = device.map(Self.device(_:)) ?? Self.device
        _ = try await credentials.requestPasswordReset(
            .init(email: email, device: device), context())
        try await relay()
        return try await credentials.resetPassword(
            .init(
                token: try latestToken("reset-password"), password: "Owner8Password",
                device: device), context())
    }

    /// The token of the link in the latest mail of a template. The link's path is the template's
    /// name.
    /// - Parameter recipient: Its address, where mails to several were waiting: they are delivered
    ///   in any order.
    func latestToken(
        _ template: String = "verify-email", to recipient: String? = nil
    ) throws -> String {
        let mail = try #require(
            notifications.mails.last {
                $0.template == template && (recipient ?? $0.recipient) == $0.recipient
            })
        let link = try #require(mail.variables.first { $0.name == "link" })
        let start = "https://app.example/\(template)?token="
        try #require(link.value.hasPrefix(start))
        return String(link.value.dropFirst(start.count))
    }

    /// Runs one SQL statement, for example as an operator or an older program would.
    func change(_ sql: String, _ values: [SQLValue] = []) async throws {
        _ = try await store.writeUnchecked { try $0.execute(sql, values) }
    }

    /// Runs SQL as on a damaged file: rows may refer to accounts that do not exist.
    func damage(_ sql: String) throws {
        try store.damage(sql)
    }

    /// Deletes what has expired, as the duty does.
    func purge() async throws {
        let purges = Purges(of: store, IdentityTables.purges, time: time)
        while try await purges.step() {}
    }

    /// The number of rows of a table that match a condition.
    func count(_ table: String, where condition: String = "true") async throws -> Int64 {
        try await store.read { session in
            try session.queryOne("SELECT count(*) FROM \(table) WHERE \(condition)") {
                try $0.integer(0)
            } ?? -1
        }
    }
}

/// Returns the `ServiceError` that `body` throws.
func refusal<Value>(
    _ body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> ServiceError {
    do {
        _ = try await body()
    } catch let error as ServiceError {
        return error
    }
    return try #require(nil as ServiceError?, "nothing was thrown", sourceLocation: sourceLocation)
}
