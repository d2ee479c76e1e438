import Cryptography
import Logging
import Messages
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport

@testable import Hosting

/// Two services in a row: `front` passes each call on to `back`. Each has a tracer of its own, as
/// two programs have.
struct TracedServers: Sendable {
    typealias Request = SessionV1.ValidateAccessTokenRequest
    typealias Response = SessionV1.ValidateAccessTokenResponse

    static let ask = MethodDescription(
        name: "test.v1.Front/Ask", isIdempotent: false, timeout: .seconds(10), isOnLoop: false)
    static let answer = MethodDescription(
        name: "test.v1.Back/Answer", isIdempotent: false, timeout: .seconds(10), isOnLoop: true)

    let client: RPCClient
    let frontSpans = SpanQueue()
    let backSpans = SpanQueue()
    private let group: MultiThreadedEventLoopGroup
    private let servers: [RPCServer]
    private let clients: [RPCClient]

    /// Starts both services. `sampling` is the share of new traces that they record.
    init(sampling: Double, group: MultiThreadedEventLoopGroup) async throws {
        self.group = group
        let front = Self.tracing(sampling, frontSpans, seed: 1)
        let back = Self.tracing(sampling, backSpans, seed: 2)
        let backServer = try await Self.serve(
            "test.back",
            .onLoop(Self.answer) { (request: Request, _) in
                if request.accessToken == "fail" { throw ServiceError(.unavailable) }
                return Response(sessionId: request.accessToken)
            }, ServerObservation(tracing: back), group)
        let onward = Self.client(
            "test.back", backServer.port, ClientObservation(tracing: front), group)
        let frontServer = try await Self.serve(
            "test.front",
            .async(Self.ask) { (request: Request, context) -> Response in
                try await onward.call(Self.answer, request, context.onward())
            }, ServerObservation(tracing: front), group)
        client = Self.client("test.front", frontServer.port, ClientObservation(), group)
        servers = [frontServer, backServer]
        clients = [onward, client]
    }

    /// Calls the front.
    func call(_ text: String = "x", traceparent: String? = nil) async throws {
        var metadata = Metadata()
        metadata[Metadata.Key.traceparent] = traceparent
        let _: Response = try await client.call(
            Self.ask, Request(accessToken: text),
            client.context(timeout: .seconds(10), metadata: metadata))
    }

    func close() async throws {
        for client in clients { client.close() }
        for server in servers { await server.drain() }
    }

    private static func tracing(_ sampling: Double, _ queue: SpanQueue, seed: UInt64) -> CallTracing
    {
        CallTracing(
            SpanTracer(
                sampling: sampling, queue: queue, time: SystemTime(),
                randomness: SeededRandomness(seed: seed)), time: SystemTime())
    }

    private static func serve(
        _ name: String, _ handler: MethodHandler, _ observation: ServerObservation,
        _ group: MultiThreadedEventLoopGroup
    ) async throws -> RPCServer {
        try await RPCServer.start(
            ServerSettings(service: name, host: "127.0.0.1", port: 0),
            services: [
                ServiceMethods(
                    ServiceDescription(name: name, methods: [], fileDescriptors: []), [handler])
            ],
            applications: Applications(
                name: "front", keyID: "k1", key: key, mayAssertClientAddress: false),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger(), observation: observation)
    }

    private static func client(
        _ service: String, _ port: Int, _ observation: ClientObservation,
        _ group: MultiThreadedEventLoopGroup
    ) -> RPCClient {
        RPCClient(
            ClientSettings(
                service: service, host: "127.0.0.1", port: port, application: "front",
                keyID: "k1", secret: key),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            observation: observation)
    }

    private static let key = KeyedHash(
        key: SecretBytes(count: 32) { $0.copyBytes(from: UInt8(0)..<32) })
}
