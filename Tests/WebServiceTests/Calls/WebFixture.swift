import Addresses
import Contracts
import Cryptography
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport

@testable import WebService

/// A listener that answers calls, in front of a server in the gateway's place.
struct WebFixture: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let listener: WebListener
    let gateway: FakeGateway

    /// Runs `body`, then stops everything.
    static func run(
        limits: WebLimits = WebLimits(), time: any Time = SystemTime(),
        _ body: @Sendable (WebFixture) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await run(group, limits, time, body)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func run(
        _ group: MultiThreadedEventLoopGroup, _ limits: WebLimits, _ time: any Time,
        _ body: @Sendable (WebFixture) async throws -> Void
    ) async throws {
        let gateway = FakeGateway()
        let key = KeyedHash(key: SecretBytes(count: 32) { $0.copyBytes(from: 100..<132) })
        let server = try await RPCServer.start(
            ServerSettings(service: "postern.gateway", host: "127.0.0.1", port: 0),
            services: gateway.services,
            applications: Applications(
                name: "web", keyID: "k1", key: key, mayAssertClientAddress: true),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())
        let client = RPCClient(
            ClientSettings(
                service: "postern.gateway", host: "127.0.0.1", port: server.port,
                application: "web", keyID: "k1", secret: key),
            group: group, time: SystemTime(), randomness: SecureRandomness())
        let responder = CallResponder(
            methods: try CallMethods(isServing: { true }, time: SystemTime()), gateway: client,
            streams: client,
            callers: CallerCheck(
                apps: Reloadable(AppsFixture.apps), trusted: [], time: SystemTime()),
            formalLanguages: .none, time: time, logger: CapturedLog().logger())
        let listener = try await WebListener.start(
            WebListenerSettings(host: "127.0.0.1", port: 0, limits: limits), group: group,
            time: SystemTime(), randomness: SecureRandomness(), logger: CapturedLog().logger()
        ) { await responder.respond(to: $0) }
        try await body(WebFixture(group: group, listener: listener, gateway: gateway))
        await listener.drain()
        client.close()
        await server.drain()
    }

    private init(
        group: MultiThreadedEventLoopGroup, listener: WebListener, gateway: FakeGateway
    ) {
        self.group = group
        self.listener = listener
        self.gateway = gateway
    }

    /// A client of HTTP/2.
    func http2() async throws -> HTTP2Client {
        try await HTTP2Client.connect(group, port: listener.port)
    }

    /// The host that requests name.
    var host: String { "localhost:\(listener.port)" }

    /// Calls a method over HTTP/1.1 as an app.
    func post(
        _ path: String, _ body: String, _ fields: [String: String] = [:],
        type: String? = "application/json"
    ) async throws -> HTTP1Response {
        try await post(path, Array(body.utf8), fields, type: type)
    }

    /// Calls a method by GET, as an app without restrictions.
    func get(_ path: String) async throws -> HTTP1Response {
        try await send("GET /\(path) HTTP/1.1", [], ["x-postern-app": AppsFixture.otherKey])
    }

    /// The same with a body of bytes.
    func post(
        _ path: String, _ body: [UInt8], _ fields: [String: String] = [:],
        type: String? = "application/json"
    ) async throws -> HTTP1Response {
        var fields = fields
        fields["x-postern-app"] = AppsFixture.phoneKey
        fields["content-type"] = type
        fields["content-length"] = "\(body.count)"
        return try await send("POST /\(path) HTTP/1.1", body, fields)
    }

    private func send(
        _ line: String, _ body: [UInt8], _ fields: [String: String]
    ) async throws -> HTTP1Response {
        try await HTTP1Client(group: group, port: listener.port).send(line, body, fields)
    }
}

/// Some methods of the gateway.
final class FakeGateway: Sendable {
    /// Whose sign-in takes longer than any deadline of a test.
    static let slowEmail = "slow@example.com"

    /// The context of the last call.
    private let last = Mutex<CallContext?>(nil)

    /// The value of a metadata entry of the last call.
    func metadata(_ key: String) -> String? { last.withLock { $0?.metadata[key] } }

    /// The part of the last call's deadline that is left, at most.
    var timeLeft: Duration? {
        last.withLock { $0.map { $0.deadline - SystemTime().uptime() } }
    }

    var services: [ServiceMethods] {
        [
            ServiceMethods(
                AuthDescription.service,
                [
                    .async(AuthDescription.signInWithPassword, signIn),
                    .async(AuthDescription.refreshSession) {
                        (_: GatewayV1.RefreshSessionRequest, _) -> GatewayV1.RefreshSessionResponse
                        in throw ServiceError(.tooManyRequests, retryAfter: .milliseconds(1_001))
                    },
                ]),
            ServiceMethods(
                VerificationDescription.service,
                [
                    .async(VerificationDescription.getKeySet) {
                        (_: GatewayV1.GetKeySetRequest, _) in
                        GatewayV1.GetKeySetResponse(jwks: "{}")
                    }
                ]),
        ]
    }

    private func signIn(
        _ request: GatewayV1.SignInWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        last.withLock { $0 = context }
        if request.email == Self.slowEmail { try await Task.sleep(for: .seconds(5)) }
        guard request.password == SecretBytes("correct horse") else {
            throw ServiceError(.invalidCredential)
        }
        return GatewayV1.SignInWithPasswordResponse(
            account: GatewayV1.Account(accountId: "a1", email: request.email))
    }
}
