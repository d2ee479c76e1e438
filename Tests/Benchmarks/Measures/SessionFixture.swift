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

    /// Sessions that refresh in turn: one that refreshes at once again and again leaves no records
    /// after the sixtieth time in a minute (`RapidRefreshes`).
    final class Families: Sendable {
        private let all: [Family]
        private let turn = Atomic(0)

        fileprivate init(_ all: [Family]) { self.all = all }

        fileprivate var next: Family {
            all[turn.wrappingAdd(1, ordering: .relaxed).oldValue % all.count]
        }
    }

    /// Opens sessions, each of a new account: many more than refresh at the same time.
    /// - Parameter claims: What each account has.
    func families(
        _ count: Int, with claims: AccountClaims = AccountClaims()
    ) async throws -> Families {
        try await withThrowingTaskGroup(of: Family.self) { group in
            var families: [Family] = []
            for number in 0..<count {
                group.addTask { try await open(with: claims) }
                // As many as the store lets wait.
                if number >= 1_000 { families += [try await group.next()].compactMap(\.self) }
            }
            return Families(try await group.reduce(into: families) { $0.append($1) })
        }
    }

    /// Refreshes the session whose turn it is.
    func refreshNext(of families: Families) async throws {
        let family = families.next
        let request = GatewayV1.RefreshSessionRequest(
            refreshToken: family.token.withLock { $0 },
            device: GatewayV1.Device(deviceId: "d1", platform: "cli"))
        let answer = try await service.sessions.refreshSession(request, Self.context)
        family.token.withLock { $0 = answer.session?.refreshToken ?? "" }
    }

    /// Opens a session of a new account with these claims.
    func open(with claims: AccountClaims = AccountClaims()) async throws -> Family {
        let now = SystemTime().now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: AccountID.drawn(from: randomness).text, amr: ["pwd"], authTimeMs: now,
            provedAtMs: now, nonce: randomness.bytes(16), claimsVersion: claims.isEmpty ? 0 : 1,
            claimsJson: claims.json, roles: claims.roles)
        let answer = try await service.sessions.createSession(
            SessionV1.CreateSessionRequest(proof: seal.seal(proof), device: Self.device),
            Self.context)
        return Family(answer.session?.refreshToken ?? "")
    }

    private static let device = GatewayV1.Device(deviceId: "d1", platform: "cli")

    private static var context: CallContext {
        CallContext(application: "gateway", deadline: SystemTime().uptime() + .seconds(10))
    }
}
