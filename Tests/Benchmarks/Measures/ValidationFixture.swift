import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import SessionService
import Storage
import TestSupport

/// A session service on its own store, and access tokens of different sessions.
struct ValidationFixture: Sendable {
    let service: SessionService
    let store: Store
    private let seal: SignInProofSeal
    private let randomness = SecureRandomness()

    /// A service on a new store in `folder`.
    init(folder: String) async throws {
        store = try TestStore.open(
            SessionTables.storeName, SessionTables.migrations, in: folder,
            engine: SQLiteEngine(), time: SystemTime(),
            logger: .silent)
        let proofs = SecretBytes(copying: randomness.bytes(32))
        seal = SignInProofSeal(key: KeyedHash(key: proofs))
        service = try await SessionService(
            settings: SettingsLoader.settings(), store: store,
            keys: SessionKeys(
                master: SecretBytes(copying: randomness.bytes(32)), signInProofs: proofs,
                randomness: randomness),
            notices: NoNotices(), time: SystemTime(), randomness: randomness, logger: .silent)
    }

    /// Access tokens of `count` new sessions.
    func tokens(_ count: Int) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count { group.addTask { try await open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func open() async throws -> String {
        let now = SystemTime().now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: AccountID.drawn(from: randomness).text, amr: ["pwd"], authTimeMs: now,
            provedAtMs: now, nonce: randomness.bytes(16))
        let request = SessionV1.CreateSessionRequest(
            proof: seal.seal(proof), device: GatewayV1.Device(deviceId: "d1", platform: "cli"))
        let context = CallContext(deadline: SystemTime().uptime() + .seconds(10))
        return try await service.sessions.createSession(request, context).session?.accessToken ?? ""
    }
}
