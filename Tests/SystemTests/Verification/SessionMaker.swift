import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// Opens sessions as identity and the gateway do together, but without a password hash for each,
/// and calls both the gateway and the session service of a cluster.
struct SessionMaker: Sendable {
    let gateway: RPCClient
    private let session: RPCClient
    private let seal: SignInProofSeal
    private let randomness = SecureRandomness()

    init(_ cluster: Cluster) throws {
        gateway = try cluster.client(of: "gateway", as: "app")
        session = try cluster.client(of: "session", as: "gateway")
        let key = try SecretFile.readKey("\(cluster.data)/keys/sign-in-proof.key")
        seal = SignInProofSeal(key: KeyedHash(key: key))
    }

    func close() {
        gateway.close()
        session.close()
    }

    /// An account that does not exist.
    func newAccount() -> AccountID { .drawn(from: randomness) }

    /// Opens a session of a new account.
    func open() async throws -> GatewayV1.Session { try await open(of: newAccount()) }

    /// Opens a session of an account, which need not exist.
    func open(of account: AccountID) async throws -> GatewayV1.Session {
        let now = SystemTime().now().milliseconds
        let proof = IdentityV1.SignInProof(
            accountId: account.text, amr: ["pwd"], authTimeMs: now, provedAtMs: now,
            nonce: randomness.bytes(16))
        let request = SessionV1.CreateSessionRequest(
            proof: seal.seal(proof), device: GatewayV1.Device(deviceId: "d1", platform: "cli"))
        let answer = try await SessionsClient(session).createSession(request, context(session))
        guard let tokens = answer.session else { throw ClusterError(message: "no tokens") }
        return tokens
    }

    /// Signs out through the gateway, as a backend does.
    func signOut(_ tokens: GatewayV1.Session) async throws {
        _ = try await AuthClient(gateway).signOut(
            GatewayV1.SignOutRequest(), context(gateway).bearing(tokens.accessToken))
    }

    /// Ends a session at the session service directly, for runs of thousands.
    func end(_ tokens: GatewayV1.Session) async throws {
        _ = try await AuthClient(session).signOut(
            GatewayV1.SignOutRequest(), context(session).bearing(tokens.accessToken))
    }

    /// Whether the session service accepts a token.
    func isValid(_ tokens: GatewayV1.Session) async throws -> Bool {
        let request = SessionV1.ValidateAccessTokenRequest(accessToken: tokens.accessToken)
        return try await SessionsClient(session).validateAccessToken(request, context(session))
            .valid
    }

    private func context(_ client: RPCClient) -> CallContext {
        client.context(timeout: .seconds(10))
    }
}
