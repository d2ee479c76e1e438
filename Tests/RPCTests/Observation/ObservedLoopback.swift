import Cryptography
import Logging
import Messages
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import TestSupport

/// The echo service with its calls observed on both sides, over a real socket.
struct ObservedLoopback: Sendable {
    let server: RPCServer
    let client: RPCClient
    let echo: EchoService
    let registry: MetricsRegistry

    static func run(
        slowCalls: SlowCallLog? = nil, body: @Sendable (ObservedLoopback) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let registry = MetricsRegistry()
        let seen = ServerObservation(slowCalls: slowCalls)
        let clientObservation = ClientObservation()
        registry.add(seen)
        registry.add(clientObservation)
        let echo = EchoService()
        do {
            let server = try await RPCServer.start(
                ServerSettings(service: "test.echo", host: "127.0.0.1", port: 0),
                services: [echo.methods], applications: TestKey.applications, group: group,
                time: SystemTime(), randomness: SecureRandomness(),
                logger: CapturedLog().logger(), observation: seen)
            let client = RPCClient(
                ClientSettings(
                    service: "test.echo", host: "127.0.0.1", port: server.port,
                    application: TestKey.application, keyID: TestKey.keyID,
                    secret: TestKey.right),
                group: group, time: SystemTime(), randomness: SecureRandomness(),
                observation: clientObservation)
            let loopback = ObservedLoopback(
                server: server, client: client, echo: echo, registry: registry)
            try await TestThreads.run { try await body(loopback) }
            client.close()
            echo.gate.open()
            await server.drain()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    /// Calls `method`. Returns the error's code, or nil for an answer.
    @discardableResult
    func call(
        _ method: MethodDescription, timeout: Duration = .seconds(20),
        metadata: Metadata = Metadata()
    ) async throws -> ErrorCode? {
        do {
            let _: EchoService.Response = try await client.call(
                method, EchoService.Request(accessToken: "x"),
                client.context(timeout: timeout, metadata: metadata))
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    /// The lines of the metrics page that begin with `start`.
    func lines(_ start: String) -> [String] {
        registry.prometheusText().split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix(start) }
    }

    /// Waits until the page has the line.
    func waits(for line: String) async throws -> Bool {
        try await eventually { lines(line).contains(line) }
    }
}

extension TestKey {
    /// The one application and its key, as a server knows it.
    static var applications: Applications {
        Applications(
            name: application, keyID: keyID, key: right, mayAssertClientAddress: true)
    }
}
