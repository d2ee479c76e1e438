import Contracts
import Cryptography
import Messages
import PosternClient
import RPC
import ServiceRuntime
import TestSupport

/// A customer's backend: it calls a gateway over one long-lived connection, each call with its own
/// deadline. The tool starts a process for each call, which is too slow for load and for measured
/// times.
final class LoadBackend: Sendable {
    private let client: RPCClient
    private let auth: AuthClient

    private init(_ client: RPCClient) {
        self.client = client
        auth = AuthClient(client)
    }

    /// A backend of a cluster's gateway.
    convenience init(_ cluster: Cluster) throws {
        try self.init(cluster.client(of: "gateway", as: "app"))
    }

    /// A backend of the gateway on `port` that authenticates with a key below `data`.
    convenience init(port: Int, data: String) throws {
        try self.init(ports: [port], data: data)
    }

    /// A backend of several gateways.
    convenience init(ports: [Int], data: String) throws {
        let client = try Cluster.client(
            of: "gateway", at: ports.compactMap { ServiceAddress("127.0.0.1:\($0)") },
            key: "\(data)/keys/applications/app.k1.key")
        self.init(client)
    }

    func close() { client.close() }

    /// A verifier that checks tokens with the keys and revocations of this gateway.
    func verifier() -> SessionVerifier {
        SessionVerifier(
            VerificationClient(client), VerifierSettings(), time: SystemTime(),
            randomness: SecureRandomness())
    }

    // MARK: Calls

    func signUp(
        _ person: Person, key: String, timeout: Duration = .seconds(10)
    ) async throws -> GatewayV1.Session {
        let answer = try await auth.signUpWithPassword(
            GatewayV1.SignUpWithPasswordRequest(
                email: person.email, password: .init(text: Person.password), device: person.v1Device
            ),
            context(person, key: key, timeout))
        return try session(answer.session)
    }

    func signIn(
        _ person: Person, deviceKey: GatewayV1.DeviceKey? = nil, timeout: Duration = .seconds(10)
    ) async throws -> GatewayV1.Session {
        var device = person.v1Device
        device.key = deviceKey
        let answer = try await auth.signInWithPassword(
            GatewayV1.SignInWithPasswordRequest(
                email: person.email, password: .init(text: Person.password), device: device),
            context(person, key: nil, timeout))
        return try session(answer.session)
    }

    func refresh(
        _ token: String, of person: Person, key: String?,
        proof: GatewayV1.DeviceProof? = nil, timeout: Duration = .seconds(10)
    ) async throws -> GatewayV1.Session {
        let answer = try await auth.refreshSession(
            GatewayV1.RefreshSessionRequest(
                refreshToken: token, device: person.v1Device, deviceProof: proof),
            context(person, key: key, timeout))
        return try session(answer.session)
    }

    func isSignedIn(
        _ accessToken: String, of person: Person, timeout: Duration = .seconds(10)
    ) async throws -> Bool {
        try await auth.checkAuthState(
            GatewayV1.CheckAuthStateRequest(),
            context(person, key: nil, timeout).bearing(accessToken)
        ).authenticated
    }

    /// Calls the gateway's health check, which needs no other service.
    func checkHealth() async throws {
        _ = try await HealthClient(client).check(
            HealthV1.CheckRequest(), client.context(timeout: .seconds(10)))
    }

    private func session(_ session: GatewayV1.Session?) throws -> GatewayV1.Session {
        guard let session else { throw ClusterError(message: "a response without a session") }
        return session
    }

    private func context(_ person: Person, key: String?, _ timeout: Duration) -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.clientAddress] = person.address
        metadata[Metadata.Key.idempotencyKey] = key
        return client.context(timeout: timeout, metadata: metadata)
    }
}

extension Person {
    /// The device in a request's form.
    fileprivate var v1Device: GatewayV1.Device {
        GatewayV1.Device(deviceId: device, platform: "cli", name: device)
    }
}
