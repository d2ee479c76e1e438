import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import SessionService
import Storage
import TestSupport
import Testing

/// The real service with a real store in a temporary folder, manual time and seeded randomness. It
/// also makes the proofs that identity would make.
final class SessionFixture {
    let folder: TemporaryFolder
    let time = ManualTime()
    let randomness: SeededRandomness
    let master: SecretBytes
    let proofKey: SecretBytes
    /// The notices sent to identity.
    let notices = RecordingNotices()
    let log = CapturedLog()
    private let settings: SessionSettings
    private(set) var store: Store
    private(set) var service: SessionService

    /// A service on an empty store.
    /// - Parameters:
    ///   - flags: Settings, as on a command line.
    ///   - server: As in `TestStore.open`, as is `backend`.
    init(
        flags: [String] = [], server: TestStore.OnServer = TestStore.OnServer(),
        backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) async throws {
        folder = try TemporaryFolder()
        randomness = SeededRandomness(seed: 7)
        master = .generate(count: 32, randomness: randomness)
        proofKey = .generate(count: 32, randomness: randomness)
        settings = try Self.settings(flags)
        store = try Self.open(folder, time, log, server, backend)
        service = try await Self.start(
            settings, store, master, proofKey, notices, time, randomness, log)
    }

    deinit {
        store.close()
        #expect(log.costlyFlows().isEmpty)
    }

    /// Closes the store and restarts the service, as a new process would.
    func restart(master: SecretBytes? = nil) async throws {
        store.close()
        store = try Self.open(folder, time, log)
        service = try await Self.start(
            settings, store, master ?? self.master, proofKey, notices, time, randomness, log)
    }

    static func settings(_ flags: [String]) throws -> SessionSettings {
        try SettingsLoader.settings(flags)
    }

    private static func open(
        _ folder: TemporaryFolder, _ time: ManualTime, _ log: CapturedLog,
        _ server: TestStore.OnServer = TestStore.OnServer(),
        _ backend: (any StoreBackend) -> any StoreBackend = { $0 }
    ) throws -> Store {
        try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: folder.path, time: time,
            logger: log.logger(time: time), server: server, backend: backend)
    }

    private static func start(
        _ settings: SessionSettings, _ store: Store, _ master: SecretBytes,
        _ proofKey: SecretBytes, _ notices: RecordingNotices, _ time: ManualTime,
        _ randomness: SeededRandomness, _ log: CapturedLog
    ) async throws -> SessionService {
        try await SessionRestore.settle(store, randomness: randomness)
        return try await SessionService(
            settings: settings, store: store,
            keys: SessionKeys(master: master, signInProofs: proofKey, randomness: randomness),
            notices: notices, time: time, randomness: randomness, logger: log.logger(time: time))
    }

    // MARK: Identity

    /// The id of an account.
    func account(_ key: Int64 = 42) throws -> AccountID { try #require(AccountID(key: key)) }

    /// A proof by identity for `account`, made now or at another time; of an earlier build unless
    /// a session generation and a purpose are given, and without a version of claims.
    func proof(
        _ account: AccountID, provedAt: Timestamp? = nil, key: SecretBytes? = nil,
        methods: [String] = ["pwd"], generation: Int64 = 0,
        purpose: IdentityV1.SignInProofPurpose = .unspecified,
        claims: AccountClaims = AccountClaims(), version: Int64 = 0
    ) -> IdentityV1.SignInProof {
        let moment = (provedAt ?? time.now()).milliseconds
        return SignInProofSeal(key: KeyedHash(key: key ?? proofKey)).seal(
            IdentityV1.SignInProof(
                accountId: account.text, amr: methods, authTimeMs: moment, provedAtMs: moment,
                nonce: randomness.bytes(16), sessionGeneration: generation, purpose: purpose,
                claimsVersion: version, claimsJson: claims.json, roles: claims.roles))
    }

    // MARK: Calls

    /// The context of a call by an application, with an idempotency key and an access token if they
    /// are given.
    func context(
        _ idempotencyKey: String? = nil, from application: String = "gateway",
        bearing token: String? = nil
    ) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = idempotencyKey
        return CallContext(
            application: application, deadline: time.uptime() + .seconds(10), metadata: metadata
        ).bearing(token)
    }

    /// Opens a session of `account` with a new proof.
    func open(_ account: AccountID? = nil, key: String? = nil) async throws -> GatewayV1.Session {
        let account = try account ?? self.account()
        return try await create(proof(account), key: key)
    }

    func create(
        _ proof: IdentityV1.SignInProof, key: String? = nil
    ) async throws -> GatewayV1.Session {
        let response = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(
                proof: proof, device: GatewayV1.Device(deviceId: "d1", platform: "cli")),
            context(key))
        return try #require(response.session)
    }

    func refresh(_ token: String, key: String? = nil) async throws -> GatewayV1.Session {
        let response = try await service.sessions.refreshSession(
            GatewayV1.RefreshSessionRequest(refreshToken: token), context(key))
        return try #require(response.session)
    }

    func validate(_ token: String) -> SessionV1.ValidateAccessTokenResponse {
        do {
            return try service.sessions.validateAccessToken(
                SessionV1.ValidateAccessTokenRequest(accessToken: token), context())
        } catch {
            Issue.record("validation threw \(error)")
            return SessionV1.ValidateAccessTokenResponse()
        }
    }

    func inspect(_ token: String) async throws -> SessionV1.InspectSessionResponse {
        try await service.sessions.inspectSession(
            SessionV1.InspectSessionRequest(accessToken: token), context())
    }

    /// A token by which a session can be ended.
    enum SignOutToken: Sendable {
        case accessToken(String)
        case refreshToken(String)
    }

    func signOut(
        _ token: SignOutToken?, all: Bool = false, key: String? = nil
    ) async throws -> Int {
        var (request, context) = (GatewayV1.SignOutRequest(all: all), context(key))
        switch token {
        case .accessToken(let text): context = context.bearing(text)
        case .refreshToken(let text): request.refreshToken = text
        case nil: break
        }
        return Int(try await service.sessions.signOut(request, context).endedSessions)
    }

    func endAccount(
        _ account: AccountID, before: Timestamp, reason: GatewayV1.EndReason = .security,
        generation: Int64 = 0
    ) async throws -> Int {
        let request = SessionV1.EndAccountSessionsRequest(
            accountId: account.text, beforeMs: before.milliseconds, reason: reason,
            sessionGeneration: generation)
        return Int(
            try await service.sessions.endAccountSessions(request, context(from: "identity")).ended)
    }

    /// How many audit records of `kind` there are.
    func audited(_ kind: AuditKind) async throws -> Int {
        let count = try await store.read { session in
            try session.queryOne(
                "SELECT count(*) FROM audit WHERE kind = ?", [.text(kind.rawValue)]
            ) { try $0.integer(0) }
        }
        return Int(try #require(count))
    }
}

/// Expects an error of the catalogue.
func expectRefused<Value>(
    _ code: ErrorCode, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async {
    do {
        let value = try await call()
        Issue.record("returned \(value), not \(code)", sourceLocation: sourceLocation)
    } catch let error as ServiceError {
        #expect(error.code == code, sourceLocation: sourceLocation)
    } catch {
        Issue.record("threw \(error), not \(code)", sourceLocation: sourceLocation)
    }
}
