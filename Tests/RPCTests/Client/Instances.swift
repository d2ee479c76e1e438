import Cryptography
import Logging
import Messages
import MetricsTestKit
import NIOCore
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// Several instances of one service and a client of them in one process, over real sockets.
struct Instances: Sendable {
    let group: MultiThreadedEventLoopGroup
    let instances: [Instance]
    let servers: [RPCServer]
    let client: RPCClient
    let log: CapturedLog
    let metrics: TestMetrics

    /// Settings of the client.
    struct Terms: Sendable {
        var connectTimeout = Duration.seconds(2)
        var idleTimeout = Duration.seconds(300)
        /// Ports in the client's address list besides those of the instances.
        var ports: [Int] = []
    }

    /// Runs `body` with `count` instances and a client of them, then stops all.
    static func run(
        _ count: Int, _ terms: Terms = Terms(), body: @Sendable (Instances) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let instances = (0..<count).map { Instance("\($0)") }
        do {
            var servers: [RPCServer] = []
            for instance in instances {
                servers.append(try await serve(instance, group: group))
            }
            let log = CapturedLog()
            let metrics = TestMetrics()
            let ports = terms.ports + servers.map(\.port)
            let client = client(
                ports.map { "127.0.0.1:\($0)" }, terms, group: group, logger: log.logger(),
                metrics: metrics)
            let fixture = Instances(
                group: group, instances: instances, servers: servers, client: client, log: log,
                metrics: metrics)
            try await TestThreads.run { try await body(fixture) }
            client.close()
            for instance in instances { instance.gate.open() }
            for server in servers { await server.drain() }
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    /// Starts a server of `instance`.
    static func serve(
        _ instance: Instance, port: Int = 0, group: MultiThreadedEventLoopGroup
    ) async throws -> RPCServer {
        try await RPCServer.start(
            ServerSettings(service: "test.instance", host: "127.0.0.1", port: port),
            services: instance.methods,
            applications: Applications(
                name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                mayAssertClientAddress: false),
            group: group, time: SystemTime(), randomness: SecureRandomness(),
            logger: CapturedLog().logger())
    }

    /// A client of these addresses.
    static func client(
        _ addresses: [String], _ terms: Terms = Terms(), group: MultiThreadedEventLoopGroup,
        logger: Logger = .silent, metrics: TestMetrics = TestMetrics(),
        resolver: any HostResolver = SystemResolver()
    ) -> RPCClient {
        RPCClient(
            ClientSettings(
                service: "test.instance", addresses: addresses.compactMap { ServiceAddress($0) },
                application: TestKey.application, keyID: TestKey.keyID, secret: TestKey.right,
                connectTimeout: terms.connectTimeout, idleTimeout: terms.idleTimeout),
            group: group, time: SystemTime(), randomness: SecureRandomness(), logger: logger,
            metrics: metrics, resolver: resolver)
    }

    /// Calls, and returns the name of the instance that answered.
    @discardableResult
    func call(
        _ method: MethodDescription = Instance.plain, timeout: Duration = .seconds(10),
        key: String? = nil, isCallersDeadline: Bool = false, client other: RPCClient? = nil
    ) async throws -> String {
        let client = other ?? client
        var metadata = Metadata()
        metadata[Metadata.Key.idempotencyKey] = key
        let response: Instance.Response = try await client.call(
            method, Instance.Request(),
            CallContext(
                deadline: client.context(timeout: timeout).deadline,
                isCallersDeadline: isCallersDeadline, metadata: metadata))
        return response.sessionId
    }

    /// The error of a call, or nil if it succeeds.
    func failure(
        _ method: MethodDescription = Instance.plain, timeout: Duration = .seconds(10),
        isCallersDeadline: Bool = false, client: RPCClient? = nil
    ) async -> ServiceError? {
        do {
            try await call(
                method, timeout: timeout, isCallersDeadline: isCallersDeadline, client: client)
            return nil
        } catch {
            return error as? ServiceError
        }
    }

    /// Calls until each instance has answered, so that all connections are open and all instances
    /// are known to be serving.
    func warmUp() async throws {
        #expect(
            try await eventually {
                var names: Set<String> = []
                for _ in 0..<8 * instances.count { names.insert(try await call()) }
                return names.count == instances.count
            })
    }

    /// The value of a counter of the client.
    func count(_ label: String) -> Int64 {
        // A counter that was never created has counted nothing.
        (try? metrics.expectCounter(label, [("service", "test.instance")]).totalValue) ?? 0
    }
}

/// How long `body` took.
func elapsed(_ body: () async throws -> Void) async throws -> Duration {
    try await ContinuousClock().measure(body)
}

/// A port on which nothing listens.
func deadPort() throws -> Int { try RawListener().port }
