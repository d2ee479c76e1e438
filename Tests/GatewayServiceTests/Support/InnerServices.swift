import Contracts
import Cryptography
import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService
@testable import NotificationService
@testable import PersonalData
@testable import RateLimitService
@testable import SessionService

/// The four services behind the gateway, each with its own store.
final class InnerServices: Sendable {
    /// Cheap parameters, so that a test can compute hundreds of hashes.
    private static let cheap = PasswordHashPool.Settings(
        threads: 2, waitingMax: 500,
        parameters: Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1))
    /// Read once: parsing all templates would be half of the time of most tests.
    private static let notificationSettings = Result {
        try SettingsLoader.settings() as NotificationSettings
    }

    /// Passkeys of `example.org`.
    private static let passkeys =
        PasskeyRPID("example.org").map { id in
            PasskeySettings(
                id: id,
                origins: [PasskeyOrigin("https://example.org", of: id)].compactMap { $0 })
        } ?? PasskeySettings()

    private static let rulesFile = "rules.yaml"

    let folder: TemporaryFolder
    let identity: IdentityAssembly
    let identityStore: Store
    let sessionService: SessionService
    var session: SessionsHandler { sessionService.sessions }
    let sessionStore: Store
    private let rateLimit: RateLimitService
    var limits: LimitsHandler { rateLimit.limits }
    var limitMethods: [ServiceMethods] { rateLimit.methods }
    let notification: NotificationService
    let notificationStore: Store
    /// The connection from identity to notification's devices.
    let pushDevices: PushDevicesForIdentity
    /// The duty of notification that removes the devices of ended sessions; a test runs it.
    let endedDevices: EndedSessionDevices
    /// The session service's clock.
    var sessionClock: StoreClock { StoreClock(sessionStore, time: time) }
    /// The connection from session to identity, which is created later.
    let notices = LateNotices()
    /// An application that identity lets write documents of any account, push messages to any, and
    /// manage all.
    let backend: BackendSigner
    private let proofs: SignInProofSeal
    private let time: ManualTime

    /// - Parameters:
    ///   - providers: The settings of the sign-in providers, as on a command line.
    ///   - phone: The countries that codes are sent to.
    ///   - rules: The text of identity's rules file; nil for none.
    ///   - guestData: What happens to the documents of a guest that signs in to an account.
    ///   - newcomers: What newcomers may add in a day.
    ///   - accountAdmins: Who may administer accounts beside the operator's tool.
    ///   - gate: What asks for a second proof of a sign-in.
    init(
        in folder: TemporaryFolder, time: ManualTime, providers: [String] = [],
        phone: PhoneSettings = PhoneSettings(countries: ["DE"]),
        enumeration: IdentitySettings.EnumerationMode = .friendly,
        verification: IdentitySettings.EmailVerificationMode = .optional,
        rules: String? = nil, consent: ConsentSettings = ConsentSettings(),
        guestData: GuestDataMode = .discard,
        newcomers: NewcomerBytes = IdentitySettings().newcomers, accountAdmins: [String] = [],
        gate: SignInGate = .standard
    ) async throws {
        let randomness = SeededRandomness()
        let log = CapturedLog().logger(time: time)
        func key() -> SecretBytes { .generate(count: 32, randomness: randomness) }
        func store(_ name: String, _ migrations: [Migration]) throws -> Store {
            try TestStore.open(name, migrations, in: folder.path, time: time, logger: log)
        }
        (self.folder, self.time) = (folder, time)
        backend = try BackendSigner()
        if let rules { try folder.write(rules, to: Self.rulesFile) }
        let proofKey = key()
        proofs = SignInProofSeal(key: KeyedHash(key: proofKey))
        sessionStore = try store(SessionTables.storeName, SessionTables.migrations)
        notificationStore = try store(NotificationStore.name, NotificationStore.migrations)
        identityStore = try store("identity", IdentityTables.migrations)
        let limitsStore = try store("ratelimit", RateLimitTables.migrations)
        sessionService = try await SessionService(
            settings: try SettingsLoader.settings(), store: sessionStore,
            keys: SessionKeys(master: key(), signInProofs: proofKey, randomness: randomness),
            notices: notices, time: time, randomness: randomness, logger: log)
        let notificationKey = key()
        notification = try Self.notification(
            in: notificationStore, following: (identityStore, sessionStore, limitsStore),
            key: notificationKey, time: time, randomness: randomness)
        pushDevices = PushDevicesForIdentity(notification.pushDevices)
        endedDevices = EndedSessionDevices(
            sessions: EventFeed(store: sessionStore, time: time), store: notificationStore,
            keys: try NotificationKeys(master: notificationKey, randomness: randomness), time: time)
        rateLimit = try await RateLimitService(
            settings: try SettingsLoader.settings(), store: limitsStore,
            keys: RateLimitKeys(master: key(), randomness: randomness), time: time,
            randomness: randomness, logger: log)
        var settings = IdentitySettings()
        settings.linkOrigin = "https://app.example"
        settings.phone = phone
        settings.passwordHashing = Self.cheap
        settings.enumeration = enumeration
        settings.emailVerification = verification
        settings.providers = try SettingsLoader.settings(providers)
        settings.consent = consent
        settings.newcomers = newcomers
        settings.documentWriters = [BackendSigner.application]
        settings.pushSenders = [BackendSigner.application]
        settings.accountManagers = [BackendSigner.application]
        settings.webOrigins = [BackendSigner.origin]
        settings.passkeys = Self.passkeys
        var data = PersonalDataSettings()
        data.rules = RulesSettings(path: rules.map { _ in folder.file(Self.rulesFile) })
        data.guestData = guestData
        var life = AccountLifeSettings()
        life.accountAdmins = accountAdmins
        identity = try IdentityAssembly(
            settings: settings, data: data, life: life, store: identityStore,
            keys: IdentityKeys(master: key(), signInProofs: proofKey, randomness: randomness),
            peers: Self.identityPeers(
                sessionService, EventFeed(store: sessionStore, time: time), notification,
                pushDevices, rateLimit),
            backends: Reloadable(backend.applications), gate: gate, time: time,
            randomness: randomness, logger: log, metrics: MetricsRegistry())
        notices.connect(to: identity.core.accountNotices)
    }

    private static func identityPeers(
        _ session: SessionService, _ sessionEvents: EventFeed,
        _ notification: NotificationService, _ pushDevices: PushDevicesForIdentity,
        _ rateLimit: RateLimitService
    ) -> IdentityPeers {
        IdentityPeers(
            devices: session.devices, sessions: SessionsForIdentity(session: session.sessions),
            activity: session.accountActivity,
            sessionEvents: EventsClient(
                InProcessChannel(
                    [EventsDispatcher.methods(of: sessionEvents)], as: CallContext.identity)),
            notifications: notification.notifications, texts: notification.texts,
            pushes: notification.pushes, pushDevices: pushDevices,
            relays: RelaysForIdentity(relayAddresses: notification.relayAddresses),
            sessionData: session.accountData, notificationData: notification.accountData,
            rateLimitData: rateLimit.accountData)
    }

    /// The notification service, which follows the events of all services.
    private static func notification(
        in store: Store, following others: (identity: Store, session: Store, rateLimit: Store),
        key: SecretBytes, time: ManualTime, randomness: SeededRandomness
    ) throws -> NotificationService {
        func events(_ store: Store) -> EventFeed { EventFeed(store: store, time: time) }
        return try NotificationService(
            settings: try notificationSettings.get(), store: store,
            keys: NotificationKeys(master: key, randomness: randomness),
            peers: NotificationPeers(
                phoneSignals: UnreachableSignals(), identityEvents: events(others.identity),
                sessionEvents: events(others.session), rateLimitEvents: events(others.rateLimit),
                ownEvents: events(store)),
            time: time, randomness: randomness, logger: CapturedLog().logger(time: time))
    }

    /// Identity as the owner of public methods.
    /// - Parameter handlers: serve their methods instead.
    func identityOwner(replacing handlers: [MethodHandler] = []) -> Relay.Channels {
        Self.owner(
            handlers.reduce(identity.methods) { services, handler in
                services.map { $0.replacing(handler) }
            })
    }

    /// Session as the owner of public methods.
    var sessionOwner: Relay.Channels { Self.owner(sessionService.methods) }

    private static func owner(_ methods: [ServiceMethods]) -> Relay.Channels {
        let channel = InProcessChannel(methods, as: CallContext.gateway)
        return Relay.Channels(calls: channel, streams: channel, watches: channel)
    }

    // MARK: Background work

    /// Runs outbox and delivery until nothing is left.
    func settle(_ location: SourceLocation = #_sourceLocation) async throws {
        // A request for a reset link is delayed (`requestPasswordReset`), and one for a deletion.
        let requests = try await count(
            identityStore, "outbox", where: "topic IN ('password-reset', 'deletion-link')")
        if requests > 0 { time.advance(by: .seconds(1)) }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.sessionService.background.run() }
            group.addTask { try await self.identity.background.run() }
            group.addTask { await self.notification.delivery.run() }
            let isFinished = try await eventually(every: .milliseconds(1)) { try await isSettled() }
            group.cancelAll()
            #expect(isFinished, "some work never finishes", sourceLocation: location)
        }
    }

    /// Runs the background work until each deletion that has begun is done.
    func finishDeletions(_ location: SourceLocation = #_sourceLocation) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.sessionService.background.run() }
            group.addTask { try await self.identity.background.run() }
            let isFinished = try await eventually(every: .milliseconds(1)) {
                try await count(identityStore, "deletions", where: "begun_at_ms IS NOT NULL") == 0
            }
            group.cancelAll()
            #expect(isFinished, "a deletion never finishes", sourceLocation: location)
        }
    }

    private func isSettled() async throws -> Bool {
        // Work that writes to an outbox is looked at before the outboxes are: migrations that wait
        // or run, and deletions that wait and of which the owner hears next (`DeletionWork`).
        let migrations = try await count(
            identityStore, "guest_migrations", where: "state IN (1, 2)")
        let deletions = try await count(
            identityStore, "deletions",
            where: "begun_at_ms IS NULL AND next_attempt_at_ms <= \(time.now().milliseconds)")
        guard migrations + deletions == 0 else { return false }
        for store in [sessionStore, identityStore] {
            guard try await store.read({ try $0.outboxCount() }) == 0 else { return false }
        }
        // A deletion ends what was not sent.
        return try await count(
            notificationStore, "message",
            where: "state <> 3 AND coalesce(reason, '') <> 'forgotten'")
            == 0
    }

    /// The mails that have been delivered to `recipient`.
    func mails(to recipient: String = "ada@example.org") async throws -> [MaildirReader.Mail] {
        try await settle()
        return MaildirReader(folder: folder.file("inbox")).mails().filter {
            $0.to.contains(recipient)
        }
    }

    /// The token of the latest link to `page` that was mailed to `recipient`.
    func linkToken(
        to recipient: String = "ada@example.org", page: String = "verify-email"
    ) async throws -> String {
        let start = "https://app.example/\(page)?token="
        let tokens = try await mails(to: recipient).compactMap { mail in
            mail.text.firstRange(of: start).map { mail.text[$0.upperBound...] }
        }
        let rest = try #require(tokens.last)
        return String(
            rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }

    // MARK: Direct access to the stores

    /// The code in the latest text message to a number.
    func phoneCode(to number: String) async throws -> String {
        // Notices go to the number, too.
        let text = try #require(
            try await mails(to: number).last { $0.text.first?.isNumber == true }?.text)
        return String(text.prefix { $0.isNumber })
    }

    /// The code in the latest mail to a mailbox that has one, alone in its line.
    func mailedCode(to mailbox: String = "ada@example.org") async throws -> String {
        let codes = try await mails(to: mailbox).flatMap { mail in
            mail.text.split(separator: "\n").filter { $0.count == 6 && $0.allSatisfy(\.isNumber) }
        }
        return String(try #require(codes.last))
    }

    /// Sets the status of all accounts.
    func setStatus(_ status: Int64) async throws {
        _ = try await identityStore.writeUnchecked {
            try $0.execute("UPDATE accounts SET status = ?", [.integer(status)])
        }
    }

    /// The access token of a session whose account does not exist in identity.
    func unknownSession() async throws -> String {
        let account = try #require(AccountID(key: 4_711))
        let answer = try await session.createSession(
            SessionV1.CreateSessionRequest(proof: proof(of: account.text, by: ["pwd"])),
            CallContext(deadline: time.uptime() + .seconds(10)))
        return try #require(answer.session).accessToken
    }

    /// Identity's proof that a user signs in to an account now. There can be one per millisecond.
    func proof(of account: String, by methods: [String]) -> IdentityV1.SignInProof {
        let now = time.now().milliseconds
        let nonce = withUnsafeBytes(of: now.bigEndian) { Array($0) }
        return proofs.seal(
            IdentityV1.SignInProof(
                accountId: account, amr: methods, authTimeMs: now, provedAtMs: now,
                nonce: nonce + nonce))
    }

    /// The attempts left under one limit.
    func left(_ limit: String, _ subject: String) throws -> UInt32 {
        let request = RateLimitV1.PeekRequest(charges: [.init(limit: limit, subject: subject)])
        let context = CallContext(deadline: time.uptime() + .seconds(10))
        let decision = try #require(try limits.peek(request, context).decision)
        return decision.limited ? 0 : decision.remaining + 1
    }

    /// The number of writes and removals of documents.
    func documentVersions() async throws -> Int64 {
        try await identityStore.read { session in
            try session.queryOne(
                "SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM documents"
            ) { try $0.integer(0) } ?? -1
        }
    }

    /// The sum of a column of identity's store.
    func sum(_ table: String, of column: String) async throws -> Int64 {
        try await identityStore.read { session in
            try session.queryOne(
                "SELECT CAST(coalesce(sum(\(column)), 0) AS BIGINT) FROM \(table)", []
            ) { try $0.integer(0) } ?? -1
        }
    }

    /// The number of rows of a table.
    func count(_ store: Store, _ table: String, where condition: String = "true") async throws
        -> Int64
    {
        try await store.read { session in
            try session.queryOne("SELECT count(*) FROM \(table) WHERE \(condition)") {
                try $0.integer(0)
            } ?? -1
        }
    }
}

/// An identity service that cannot be reached with changed numbers.
private struct UnreachableSignals: PhoneSignalsAPI {
    func numberChanged(
        _ request: IdentityV1.NumberChangedRequest, _ context: CallContext
    ) async throws -> IdentityV1.NumberChangedResponse { throw ServiceError(.unavailable) }
}
