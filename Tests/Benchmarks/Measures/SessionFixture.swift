import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import SessionService
import Storage
import Synchronization
import TestSupport

/// A session service, and the key with which identity would seal its sign-in proofs.
struct SessionFixture: Sendable {
    /// The newest refresh token of one session.
    final class Family: Sendable {
        let token: Mutex<String>

        init(_ token: String) { self.token = Mutex(token) }
    }

    private let service: SessionService
    private let seal: SignInProofSeal
    private let randomness = SecureRandomness()

    init(store: Store) async throws {
        let proofs = SecretBytes(copying: SecureRandomness().bytes(32))
        seal = SignInProofSeal(key: KeyedHash(key: proofs))
        service = try await SessionService(
            settings: SettingsLoader.settings(), store: store,
            keys: SessionKeys(
                master: SecretBytes(copying: SecureRandomness().bytes(32)), signInProofs: proofs,
                randomness: SecureRandomness()),
            notices: NoNotices(), time: SystemTime(), randomness: SecureRandomness(),
            logger: .silent)
    }

    /// Opens sessions, each of a new account.
    func families(_ count: Int) async throws -> [Family] {
        try await withThrowingTaskGroup(of: Family.self) { group in
            for _ in 0..<count { group.addTask { try await open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    func refresh(_ family: Family) async throws {
        let request = SessionV1.RefreshSessionRequest(
            refreshToken: family.token.withLock { $0 }, origin: Self.origin)
        let answer = try await service.sessions.refreshSession(request, Self.context)
        family.token.withLock { $0 = answer.tokens?.refreshToken ?? "" }
    }

    /// Opens a session of a new account.
    func open() async throws -> Family {
        let now = SystemTime().now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: AccountID.drawn(from: randomness).text, amr: ["pwd"], authTimeMs: now,
            provedAtMs: now, nonce: randomness.bytes(16))
        let answer = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(proof: seal.seal(proof), origin: Self.origin),
            Self.context)
        return Family(answer.tokens?.refreshToken ?? "")
    }

    private static let origin = IdentityV1.Origin(deviceId: "d1", platform: "cli")

    private static var context: CallContext {
        CallContext(deadline: SystemTime().uptime() + .seconds(10))
    }
}
